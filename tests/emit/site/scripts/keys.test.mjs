import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { FIELD, goal } = load("keys").keys;
const LAST = 2;

test("arrows go through the results and back into the field", () => {
  assert.deepEqual([FIELD, 0, 1, 2].map((place) => goal("ArrowDown", place, LAST)), [0, 1, 2, 2]);
  assert.deepEqual([2, 1, 0, FIELD].map((place) => goal("ArrowUp", place, LAST)), [1, 0, FIELD, undefined]);
});

test("Enter leads from the field to the first result, where it opens as it does everywhere", () => {
  assert.deepEqual([FIELD, 0].map((place) => goal("Enter", place, LAST)), [0, undefined]);
});

test("Escape leads to the field, and Home and End keep their meaning in it", () => {
  assert.deepEqual([FIELD, 0, 2].map((place) => goal("Escape", place, LAST)), [FIELD, FIELD, FIELD]);
  assert.deepEqual([FIELD, 1].map((place) => goal("Home", place, LAST)), [undefined, 0]);
  assert.deepEqual([FIELD, 1].map((place) => goal("End", place, LAST)), [undefined, LAST]);
});

test("without results only Escape means something", () => {
  const pressed = ["ArrowDown", "ArrowUp", "Enter", "Home", "End", "Escape", "a"];
  assert.deepEqual(pressed.map((key) => goal(key, FIELD, -1)), [undefined, undefined, undefined, undefined, undefined, FIELD, undefined]);
});
