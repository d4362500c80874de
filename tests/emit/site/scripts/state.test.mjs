import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { state } = load("state");
const chosen = (...entries) => ({ ...state.EMPTY, chosen: new Map(entries) });

test("values of a facet are chosen in the order of the clicks, and left by a second click", () => {
  const both = state.toggled(state.toggled(state.EMPTY, "tags", "sql"), "tags", "data");
  assert.deepEqual(both, chosen(["tags", ["sql", "data"]]));
  assert.deepEqual(state.toggled(both, "tags", "sql"), chosen(["tags", ["data"]]));
  assert.deepEqual(both, chosen(["tags", ["sql", "data"]]));
});

test("a facet without a chosen value is none", () => {
  const first = state.toggled(state.EMPTY, "tags", "sql");
  assert.deepEqual(state.toggled(first, "tags", "sql"), state.EMPTY);
});

test("names of the language are values like others", () => {
  const named = state.toggled(state.EMPTY, "__proto__", "constructor");
  assert.deepEqual(named, chosen(["__proto__", ["constructor"]]));
});

test("filters go without the words, and words without the filters", () => {
  const one = state.typed(state.toggled(state.EMPTY, "tags", "sql"), "query");
  assert.deepEqual(state.unfiltered(one), { query: "query", chosen: new Map(), sort: "" });
  assert.deepEqual(state.typed(one, ""), chosen(["tags", ["sql"]]));
});

test("the list is plain without words, filters and an order of its own", () => {
  const plain = [state.EMPTY, state.typed(state.EMPTY, "  "), state.sorted(state.EMPTY, "path")];
  const other = [state.typed(state.EMPTY, "a"), state.toggled(state.EMPTY, "tags", "a"), state.sorted(state.EMPTY, "date")];
  assert.deepEqual(plain.map((each) => state.isPlain(each, "path")), [true, true, true]);
  assert.deepEqual(other.map((each) => state.isPlain(each, "path")), [false, false, false]);
});
