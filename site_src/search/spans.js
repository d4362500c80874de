// Where a text that is shown has what a query asked for.
(() => {
  "use strict";
  const { isIdeographic, rawParts, tokens } = skillbuild.terms;
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
      if (words.has(wholes.join(""))) {
        add(index, index + token.length);
        continue;
      }
      let start = index;
      segments.forEach((parts, i) => {
        const segment = parts.join("");
        if (words.has(wholes[i])) add(start, start + segment.length);
        else addParts(parts, segment, start);
        start += segment.length + 1;
      });
    }
    return spans;
  };

  const LONGEST = 240;
  const BEFORE = 60;
  const MARKUP = /^[ \t#>*+|`_-]+|[ \t#>*+|`_-]+$/g;
  // The line of a Markdown text that has most of the terms, the first of these, cut to be shown, with
  // the spans in it; null if no line has any. The twin of `quote` in `release/search/quoting.py`.
  skillbuild.quote = (text, result) => {
    let [best, most] = [null, 0];
    for (const whole of text.split("\n")) {
      const line = whole.replace(MARKUP, "");
      const spans = skillbuild.spans(line, result);
      const parts = new Set(spans.map(([start, end]) => line.slice(start, end).toLowerCase()));
      if (parts.size > most) [best, most] = [[line, spans[0][0]], parts.size];
    }
    if (!best) return null;
    let [line, place] = best;
    if (line.length > LONGEST) {
      const start = place < LONGEST - BEFORE ? 0 : line.indexOf(" ", place - BEFORE) + 1;
      const part = line.slice(start, start + LONGEST);
      const isEnd = start + LONGEST >= line.length;
      const end = isEnd ? part : part.slice(0, part.lastIndexOf(" ") + 1 || undefined).trimEnd();
      line = `${start ? "…" : ""}${end}${isEnd ? "" : "…"}`;
    }
    return { text: line, spans: skillbuild.spans(line, result) };
  };
})();
