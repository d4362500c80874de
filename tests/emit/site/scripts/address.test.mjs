import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { address, state } = load("state", "address");
const FACETS = ["tags", "groups"];
const read = (search) => address.read(search, FACETS, ["", "path", "date"]);
const typed = (query) => state.typed(state.EMPTY, query);

const full = { query: "csv to json", chosen: new Map([["tags", ["a&b", "数据"]], ["groups", ["x/y"]]]), sort: "date" };

test("an address has words, facets in the order of choice, and the order", () => {
  const written = "?q=csv+to+json&tags=a%26b&tags=%E6%95%B0%E6%8D%AE&groups=x%2Fy&sort=date";
  assert.equal(address.write(full), written);
  assert.deepEqual(read(written), full);
  assert.equal(address.write(state.EMPTY), "");
});

test("what is not ours in an address is left out, and what occurs twice counts once", () => {
  assert.deepEqual(read("?q=a&utm=b&tags=x&tags=x&sort=random&__proto__=y"), {
    query: "a",
    chosen: new Map([["tags", ["x"]]]),
    sort: "",
  });
});

test("names of the language are words and values like others", () => {
  const odd = { query: "__proto__", chosen: new Map([["tags", ["constructor", "__proto__"]]]), sort: "" };
  assert.deepEqual(read(address.write(odd)), odd);
});

test("long words are cut in the address, and no character is cut in two", () => {
  assert.equal(read(address.write(typed("😀".repeat(5000)))).query, "😀".repeat(1024));
  assert.equal(read(`?${"tags=x&".repeat(9)}${Array.from({ length: 99 }, (_, n) => `tags=${n}`).join("&")}`).chosen.get("tags").length, 50);
});

// A history that notes what it is told.
const noted = () => {
  const calls = [];
  const note = (name) => (_state, _title, url) => calls.push(`${name} ${url}`);
  const keeper = address.keeper({ pathname: "/list" }, { pushState: note("push"), replaceState: note("replace") });
  return { calls, keeper };
};

test("what is typed in one go is one entry of the history", () => {
  const { calls, keeper } = noted();
  keeper.recalled(state.EMPTY);
  for (const query of ["s", "sq", "sql"]) keeper.remember(typed(query), true);
  keeper.settle();
  for (const query of ["sql ", "sql l", "sql lint"]) keeper.remember(typed(query), true);
  assert.deepEqual(calls, ["push /list?q=s", "replace /list?q=sq", "replace /list?q=sql", "push /list?q=sql+l", "replace /list?q=sql+lint"]);
});

test("each click is an entry, and the same state is none", () => {
  const { calls, keeper } = noted();
  keeper.recalled(typed("a"));
  keeper.remember(typed("a"), false);
  keeper.remember(state.toggled(typed("a"), "tags", "x"), false);
  keeper.remember(typed("a"), false);
  assert.deepEqual(calls, ["push /list?q=a&tags=x", "push /list?q=a"]);
});

test("a browser that refuses to change the address does not stop the search", () => {
  const refuse = () => {
    throw new Error("SecurityError");
  };
  const keeper = address.keeper({ pathname: "/" }, { pushState: refuse, replaceState: refuse });
  keeper.remember(typed("a"), true);
});
