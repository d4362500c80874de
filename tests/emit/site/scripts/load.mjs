// Scripts of the page as a browser runs them, one after the other: `load("words", "cards")`.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { runInThisContext } from "node:vm";

export const load = (...names) => {
  for (const name of names) {
    const file = resolve(process.env.SKILLBUILD_SCRIPTS, "search", `${name}.js`);
    runInThisContext(readFileSync(file, "utf8"), { filename: file });
  }
  return globalThis.skillbuild;
};
