// Reads SKILL.md texts with npm `yaml` for fixes.py: a JSON list of texts on standard input, one
// JSON answer a text on standard output. The argument is the directory of node_modules. Values
// have their type with them, and mappings are lists of pairs: objects of JavaScript sort their keys.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { header } from "./header.mjs";

const require = createRequire(join(process.argv[2], "x.js"));
const { parseDocument } = require("yaml");

function typed(value) {
  if (value instanceof Map) {
    return ["mapping", [...value].map(([key, item]) => [String(key), typed(item)])];
  }
  if (Array.isArray(value)) return ["list", value.map(typed)];
  return [value === null ? "null" : typeof value, String(value)];
}

function answer(text) {
  try {
    const options = { version: "1.2", schema: "core", uniqueKeys: true };
    const document = parseDocument(header(text), options);
    const faults = document.errors.map((fault) => fault.message);
    return faults.length ? { faults } : { value: typed(document.toJS({ mapAsMap: true })) };
  } catch (error) {
    return { faults: [String(error)] };
  }
}

const texts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map(answer)));
