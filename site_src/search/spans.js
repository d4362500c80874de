// Where a text that is shown has what a query asked for.
(() => {
  "use strict";
  const { TOKEN, isIdeographic, rawParts } = skillbuild.terms;
  const { folded } = skillbuild.letters;

  // Start and end of each span of a text that a result of `find` is about; they do not overlap.
  skillbuild.spans = (text, result) => {
    const words = new Set(result.marks.words);
    const matches = (word) => words.has(word) || result.marks.prefixes.some((start) => word.startsWith(start));
    const spans = [];
    const add = (start, end) => {
      const last = spans.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else spans.push([start, end]);
    };
    const addPairs = (part, start) => {
      const characters = [...part];
      let at = start;
      characters.forEach((character, i) => {
        const both = character + (characters[i + 1] ?? "");
        if (words.has(folded(character))) add(at, at + character.length);
        if (words.has(folded(both))) add(at, at + both.length);
        at += character.length;
      });
    };
    for (const token of text.matchAll(TOKEN)) {
      const parts = rawParts(token[0]);
      if (parts.length > 1 && words.has(parts.map(folded).join(""))) {
        add(token.index, token.index + token[0].length);
        continue;
      }
      let at = 0;
      for (const part of parts) {
        at = token[0].indexOf(part, at);
        if (isIdeographic(part)) addPairs(part, token.index + at);
        else if (matches(folded(part))) add(token.index + at, token.index + at + part.length);
        at += part.length;
      }
    }
    return spans;
  };
})();
