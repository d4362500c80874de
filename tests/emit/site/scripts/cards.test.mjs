import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { cards } = load("words", "cards");

test("a text is cut where matches begin and end", () => {
  const cases = [
    ["plain", [], [["plain", false]]],
    ["", [], []],
    ["whole", [[0, 5]], [["whole", true]]],
    ["a match here", [[2, 7]], [["a ", false], ["match", true], [" here", false]]],
    ["数据库迁移", [[0, 2], [3, 5]], [["数据", true], ["库", false], ["迁移", true]]],
    ["overlaps", [[0, 4], [2, 6], [5, 5]], [["over", true], ["laps", false]]],
  ];
  for (const [text, spans, wanted] of cases) {
    assert.deepEqual(cards.pieces(text, spans), wanted);
    assert.equal(cards.pieces(text, spans).map(([piece]) => piece).join(""), text);
  }
});

test("an identicon has a square for each bit, five in a row", () => {
  assert.equal(cards.drawing(0), "");
  assert.equal(cards.drawing(0b1000001), "M1 1h1v1h-1zM2 2h1v1h-1z");
  assert.equal(cards.drawing(1 << 24), "M5 5h1v1h-1z");
});

test("a license is called one where it is not the name of a license", () => {
  assert.deepEqual(["MIT", "custom terms"].map(cards.license), ["MIT", "license: custom terms"]);
});
