// Finds the matches of a query in a text.
(() => {
  "use strict";
  const { isIdeographic, rawParts, tokens } = skillbuild.terms;
  const { folded } = skillbuild.letters;

  // Returns the start and end of each span of a text that has any of the `marks` of a result of `find`.
  // Spans do not overlap.
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

  // Returns the marks that do not occur in a text.
  skillbuild.lacking = (text, marks) => marks.filter((mark) => !skillbuild.spans(text, [mark]).length);

  const MARKUP = /^[ \t#>*+|`_"-]+|[ \t#>*+|`_"-]+$/g;
  // Lines with a JSON key count as code.
  const FRONT = /---[^]*?\n---/;
  const CODE = /^ *```[^]*?^ *```|.*":.*/gm;
  const FENCE = /^ *```.*/gm;
  // What surrounds code in a list item.
  const ITEM = /^\s*([-*] `+)?|[`\s]+$/g;
  // A line break within a sentence.
  const BREAK = /\n *(?=[a-z])/g;
  // Returns the line of a Markdown text that has most of the `wanted` marks. If there are several, returns
  // the first one that has most of all `marks`. Lines that occur in `known` are skipped. Returns an empty
  // string if no other line has a wanted mark. With `hasCode`, lines of code count too, and their markup is
  // kept. `quote` in `release/search/quoting.py` has the same code in Python.
  skillbuild.quote = (text, wanted, marks, known, hasCode) => {
    const had = (line, some) => some.length - skillbuild.lacking(line, some).length;
    let [best, most] = ["", 99];
    let lines = text.replace(FRONT, "").replace(hasCode ? FENCE : CODE, "");
    if (!hasCode) lines = lines.replace(BREAK, " ");
    for (const line of lines.split("\n")) {
      // The factor works because a query has far fewer than 100 words.
      const has = 100 * had(line, wanted) + had(line, marks);
      const bare = line.replace(hasCode ? ITEM : MARKUP, "");
      if (has > most && !known.includes(bare)) [best, most] = [bare, has];
    }
    return best;
  };

  // Cuts a text to at most `longest` characters around the first match, at the ends of words or strings.
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
