import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { facets } = load("facets");
// Six skills: tag a has 0 1 2, tag b has 2 3, tag rare has 5; MIT has 0 2 4, other has 1 3 5.
const ALL = new Map([
  ["tags", new Map([["a", [0, 1, 2]], ["b", [2, 3]]])],
  ["licenses", new Map([["MIT", [0, 2, 4]], ["other", [1, 3, 5]]])],
]);
const index = {
  facets: async () => ALL,
  facet: async (facet, value) => (facet === "tags" && value === "rare" ? [5] : []),
};
const EVERY = [0, 1, 2, 3, 4, 5];
const chosen = (given) => new Map(Object.entries(given));
const narrowed = (given, numbers = EVERY) => facets.narrowed(ALL, chosen(given), 6, numbers);
const counts = (given, numbers = EVERY) => {
  const tally = facets.counts(ALL, chosen(given), 6, numbers);
  return Object.fromEntries([...tally].map(([facet, left]) => [facet, Object.fromEntries(left)]));
};

test("values of one facet widen the choice, another facet narrows it", () => {
  assert.deepEqual(narrowed({}), EVERY);
  assert.deepEqual(narrowed({ tags: ["a", "b"] }), [0, 1, 2, 3]);
  assert.deepEqual(narrowed({ tags: ["a", "b"], licenses: ["MIT"] }), [0, 2]);
});

test("the order of what matched stays", () => {
  assert.deepEqual(narrowed({ tags: ["a", "b"] }, [3, 5, 0, 2]), [3, 0, 2]);
});

test("counts follow the words and the other facets, not the own one", () => {
  assert.deepEqual(counts({}), { tags: { a: 3, b: 2 }, licenses: { MIT: 3, other: 3 } });
  assert.deepEqual(counts({ tags: ["a"] }), { tags: { a: 3, b: 2 }, licenses: { MIT: 2, other: 1 } });
  assert.deepEqual(counts({ tags: ["a"], licenses: ["MIT"] }), { tags: { a: 2, b: 1 }, licenses: { MIT: 2, other: 1 } });
  assert.deepEqual(counts({ licenses: ["other"] }, [0, 1, 2]), { tags: { a: 1 }, licenses: { MIT: 2, other: 1 } });
});

test("each count is what a click on its value leaves", () => {
  for (const before of [{}, { licenses: ["MIT"] }, { licenses: ["MIT", "other"] }]) {
    const left = counts(before, [5, 4, 2, 1]);
    for (const value of ["a", "b"]) {
      assert.equal(left.tags[value] ?? 0, narrowed({ ...before, tags: [value] }, [5, 4, 2, 1]).length);
    }
  }
});

test("a value that nothing has leaves nothing, whatever it is called", () => {
  for (const value of ["nosuch", "__proto__", "constructor"]) {
    assert.deepEqual(narrowed({ tags: [value] }), []);
    assert.deepEqual(narrowed({ tags: [value, "b"] }), [2, 3]);
  }
  assert.deepEqual(facets.narrowed(ALL, new Map([["__proto__", ["a"]]]), 6, EVERY), []);
});

test("numbers may be typed arrays", () => {
  assert.deepEqual(facets.narrowed(ALL, new Map(), 6, Uint32Array.of(1, 2)), [1, 2]);
});

test("chosen values beside the most used ones are asked for", async () => {
  const all = await facets.known(index, chosen({ tags: ["rare", "a"], groups: ["none"] }));
  assert.deepEqual([...all.get("tags")], [["a", [0, 1, 2]], ["b", [2, 3]], ["rare", [5]]]);
  assert.deepEqual([...all.get("groups")], [["none", []]]);
  assert.equal(ALL.get("tags").size, 2);
  assert.deepEqual(facets.narrowed(all, chosen({ tags: ["rare"] }), 6, EVERY), [5]);
});
