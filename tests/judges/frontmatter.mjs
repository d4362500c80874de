// Reads SKILL.md texts with npm `yaml` for frontmatter.py: a JSON list of texts on standard input,
// one JSON answer a text on standard output. The argument is the directory of node_modules.
// Values keep what JSON of JavaScript loses: key order, -0, infinities, the place of every scalar.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { header } from "./header.mjs";

const require = createRequire(join(process.argv[2], "x.js"));
const { parseDocument, isMap, isSeq, isScalar, LineCounter } = require("yaml");

function place(node, text, counter) {
  const { line, col } = counter.linePos(node.range[0]);
  const start = node.range[0] - col + 1;
  return [line + 1, [...text.slice(start, node.range[0])].length + 1];
}

function plain(value) {
  if (value === null) return ["null"];
  if (typeof value === "number") return ["number", Object.is(value, -0) ? "-0" : String(value)];
  return [typeof value, value];
}

function tree(node, text, counter) {
  if (node === null) return { kind: "scalar", value: ["null"], place: null };
  const at = place(node, text, counter);
  if (isScalar(node)) return { kind: "scalar", value: plain(node.value), place: at };
  if (isSeq(node)) {
    return { kind: "list", items: node.items.map((item) => tree(item, text, counter)), place: at };
  }
  if (!isMap(node)) throw new Error(`unexpected node ${node.constructor.name}`);
  const pairs = node.items.map(({ key, value }) => [plain(key.value), tree(value, text, counter)]);
  return { kind: "map", pairs, place: at };
}

function read(text) {
  const source = header(text);
  const counter = new LineCounter();
  const document = parseDocument(source, {
    version: "1.2", schema: "core", uniqueKeys: true, lineCounter: counter,
  });
  const faults = [...document.errors, ...document.warnings].map((fault) => fault.message);
  return faults.length ? { faults } : { tree: tree(document.contents, source, counter) };
}

function guarded(text) {
  try {
    return read(text);
  } catch (error) {
    return { faults: [String(error)] };
  }
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(guarded)));
