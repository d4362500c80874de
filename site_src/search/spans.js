// Where a text that is shown has what a query asked for.
(() => {
  "use strict";
  const { isIdeographic, rawParts, tokens } = skillbuild.terms;
  const { folded } = skillbuild.letters;

  // Start and end of each span of a text that has any of the `marks` of a result of `find`; they do
  // not overlap.
  skillbuild.spans = (text, marks) => {
    const has = (word) => marks.some(({ words }) => words.has(word));
    const matches = (word) => has(word) || marks.some(({ prefix }) => prefix && word.startsWith(prefix));
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
        for (const piece of [character, character + (characters[i + 1] ?? "")]) {
          if (has(folded(piece))) add(at, at + piece.length);
        }
        at += character.length;
      });
    };
    const addParts = (parts, text, start) => {
      let at = 0;
      for (const part of parts) {
        at = text.indexOf(part, at);
        if (isIdeographic(part)) addPairs(part, start + at);
        else if (matches(folded(part))) add(start + at, start + at + part.length);
        at += part.length;
      }
    };
    for (const { 0: token, index } of tokens(text)) {
      if (/^[0-9a-z]+$/.test(token)) {
        if (matches(token)) add(index, index + token.length);
        continue;
      }
      const segments = rawParts(token);
      const wholes = segments.map((parts) => parts.map(folded).join(""));
      if (has(wholes.join(""))) {
        add(index, index + token.length);
        continue;
      }
      let start = index;
      segments.forEach((parts, i) => {
        const segment = parts.join("");
        if (has(wholes[i])) add(start, start + segment.length);
        else addParts(parts, segment, start);
        start += segment.length + 1;
      });
    }
    return spans;
  };

  // The marks of which a text has none.
  skillbuild.lacking = (text, marks) => marks.filter((mark) => !skillbuild.spans(text, [mark]).length);

  const MARKUP = /^[ \t#>*+|`_"-]+|[ \t#>*+|`_"-]+$/g;
  // Lines with a key of JSON count as code.
  const FRONT = /---[^]*?\n---/;
  const CODE = /^ *```[^]*?^ *```|.*":.*/gm;
  const FENCE = /^ *```.*/gm;
  // Around code that is an item of a list.
  const ITEM = /^\s*([-*] `+)?|[`\s]+$/g;
  // Within a sentence.
  const BREAK = /\n *(?=[a-z])/g;
  // The line of a Markdown text that has most of the `wanted` marks, and of these lines the first
  // that has most of all marks; empty if no line has any wanted one, or only such as `known` has.
  // `hasCode` says whether code counts, of which a line stands as it is. The twin of `quote` in
  // `release/search/quoting.py`.
  skillbuild.quote = (text, wanted, marks, known, hasCode) => {
    const had = (line, some) => some.length - skillbuild.lacking(line, some).length;
    let [best, most] = ["", 99];
    let lines = text.replace(FRONT, "").replace(hasCode ? FENCE : CODE, "");
    if (!hasCode) lines = lines.replace(BREAK, " ");
    for (const line of lines.split("\n")) {
      // A query has far fewer words.
      const has = 100 * had(line, wanted) + had(line, marks);
      const bare = line.replace(hasCode ? ITEM : MARKUP, "");
      if (has > most && !known.includes(bare)) [best, most] = [bare, has];
    }
    return best;
  };

  // A text of at most so many characters, cut around the first span of the marks, and where words or
  // strings end.
  skillbuild.cut = (text, marks, longest) => {
    if (text.length <= longest) return text;
    const [place, end] = skillbuild.spans(text, marks)[0] ?? [0, 0];
    const from = Math.min(place - Math.floor(longest / 4), text.length - longest);
    const start = end < longest ? 0 : from + text.slice(from, place).search(/[\s"{]/) + 1;
    const part = text.slice(start, start + longest);
    const last = Math.max(end - start, part.search(/[\s"}][^\s"}]*$/));
    const shown = start + longest < text.length ? `${part.slice(0, last).replace(/[\s.,:;…]+$/, "")}…` : part;
    return (start ? "…" : "") + shown;
  };
})();
