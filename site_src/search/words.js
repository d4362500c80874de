// What the page says about a search, in words.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // What a browser has for it takes longer than all of a search.
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  // Of `total` skills; `isWeak` says that none matches most of the words, `inText` that only texts do.
  const count = ({ query, isGuess, base, matches, weaker, isWeak, inText, result }, total) => {
    const every = matches.length + weaker.length;
    if (!every) return `No skill ${isGuess ? "is named" : "matches"} ${base.length ? "these filters" : `“${query}”`}`;
    const all = `${number(every)} of ${plural(total, "skill")}`;
    const edit = result?.edited[0];
    if (edit) return `Nothing for “${edit[0]}”. Showing “${edit[1].join("” or “")}” in ${all}`;
    if (isWeak) return `${all} with some of the words`;
    if (weaker.length) return `${plural(matches.length, "skill")} with ${result.terms[2] ? "most" : "all"} of the words`;
    return inText ? `No skill is about “${query}”; ${all} have it or a related word` : all;
  };

  // What was made of the words: others that mean the same, those that no skill has, and how many were left
  // out.
  const notes = ({ synonyms, ignored, lost, terms }) => {
    const said = [];
    const meant = new Set(synonyms.map(([, other]) => other));
    if (meant.size) said.push(`also searched: ${[...meant].join(", ")}`);
    if (lost.length && lost.length < terms.length) said.push(`no skill has “${lost.join("” or “")}”`);
    if (ignored) said.push(`${plural(ignored, "word")} ignored`);
    return said.join("; ");
  };

  skillbuild.words = { number, plural, count, notes };
})();
