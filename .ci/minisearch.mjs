// Writes site_src/minisearch.js to standard output: `node .ci/minisearch.mjs FOLDER`, where FOLDER
// has the npm packages minisearch, acorn and terser. CI compares what comes out with what is here.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(resolve(process.argv[2], "package.json"));
const { parse } = require("acorn");
const { minify } = require("terser");
const home = resolve(process.argv[2], "node_modules/minisearch");
const { version } = JSON.parse(readFileSync(`${home}/package.json`, "utf8"));
const licence = readFileSync(`${home}/LICENSE.txt`, "utf8").trim();

// The index is made once, from rows, and only searched: what changes, saves or loads one can go.
const UNUSED = new Set(
  `addAllAsync autoSuggest clear conditionalVacuum delete dirtCount dirtFactor discard discardAll
  documentCount forEach from fromObject getDefault getStoredFields has instantiateMiniSearch
  isVacuuming loadJS loadJSAsync loadJSON loadJSONAsync maybeAutoVacuum performVacuuming remove
  removeAll removeFieldLength removeTerm replace termCount toJSON vacuum vacuumConditionsMet
  warnDocumentChanged`.split(/\s+/),
);

let source = readFileSync(`${home}/dist/es/index.js`, "utf8");
const classes = parse(source, { ecmaVersion: 2022, sourceType: "module" }).body.filter((node) => node.type === "ClassDeclaration");
const methods = classes.flatMap((node) => node.body.body).filter((method) => UNUSED.has(method.key.name));
for (const { start, end } of methods.reverse()) source = source.slice(0, start) + source.slice(end);
source = source.replace("export { MiniSearch as default };", "window.MiniSearch = MiniSearch;");

const { code } = await minify(`(() => {${source}})();`, {
  ecma: 2020,
  compress: { ecma: 2020, passes: 3, keep_fargs: false },
  mangle: { properties: { regex: /^_/ } },
  format: { comments: false },
});
process.stdout.write(`/* MiniSearch ${version}, https://github.com/lucaong/minisearch, without the methods
that are not needed here (.ci/minisearch.mjs), minified by terser
${licence}
*/
${code}
`);
