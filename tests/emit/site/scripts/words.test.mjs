import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { words } = load("words");
const numbers = (length) => Array.from({ length }, (_, number) => number);
const count = (matches, weaker, isWeak, total = 6000, inText = false, terms = ["a", "b"], edited = []) => {
  const base = numbers(matches + weaker);
  return words.count({ query: "hiring", base, matches: numbers(matches), weaker: numbers(weaker), isWeak, inText, result: { terms, edited } }, total);
};

test("numbers have groups of three digits", () => {
  assert.deepEqual([0, 999, 1000, 61452, 1234567].map(words.number), ["0", "999", "1,000", "61,452", "1,234,567"]);
});

test("a count says of how many", () => {
  assert.equal(count(1234, 0, false), "1,234 of 6,000 skills");
  assert.equal(count(1, 0, false, 1), "1 of 1 skill");
  assert.equal(count(0, 0, false, 2), "No skill matches “hiring”");
  assert.equal(words.count({ base: [1], matches: [], weaker: [], isWeak: false }, 2), "No skill matches these filters");
});

test("weaker matches are told apart", () => {
  assert.equal(count(3, 40, false), "3 skills with all of the words");
  assert.equal(count(3, 40, false, 6000, true, ["a", "b", "c"]), "3 skills with most of the words");
  assert.equal(count(40, 0, true), "40 of 6,000 skills with some of the words");
});

test("a count says when only texts have the words", () => {
  assert.equal(count(3, 0, false, 604, true), "No skill is about “hiring”; found it or a related word in 3 of 604 skills");
});

test("a count says which words are shown in place of one that no skill has", () => {
  const typo = "Nothing for “pythn”. Showing 3 of 604 skills for “python” or “pythons”";
  assert.equal(count(3, 0, false, 604, true, ["pythn"], [["pythn", ["python", "pythons"]]]), typo);
});

test("synonyms and what was ignored are told", () => {
  const notes = (synonyms, ignored, lost = [], terms = []) =>
    words.notes({ synonyms, ignored, lost, terms });
  assert.equal(notes([], 0), "");
  assert.equal(notes([["k8s", "kubernetes"]], 0), "also searched for: kubernetes");
  const both = [["k8s", "kubernetes"], ["tdd", "test driven development"], ["kube", "kubernetes"]];
  assert.equal(notes(both, 3), "also searched for: kubernetes, test driven development; 3 words ignored");
  assert.equal(notes([], 1), "1 word ignored");
  assert.equal(notes([], 0, ["zzz"], ["sql", "zzz"]), "no skill has “zzz”");
  assert.equal(notes([], 0, ["yyy", "zzz"], ["yyy", "zzz"]), "");
  assert.equal(notes([], 0, ["yyy", "zzz"], ["yyy", "zzz", "sql"]), "no skill has “yyy” or “zzz”");
  assert.equal(notes([], 0, ["zzz"], ["zzz"]), "");
});
