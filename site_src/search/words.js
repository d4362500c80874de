// The texts that the page shows about a search.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // The number formatting of browsers takes longer than a whole search.
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  // Describes the number of results out of `total`. `isWeak` means that no skill matches most of the words,
  // and `inText` that the words occur only in texts.
  const count = ({ query, isGuess, base, matches, weaker, isWeak, inText, result }, total) => {
    const every = matches.length + weaker.length;
    if (!every) return `No skill ${isGuess ? "is named" : "matches"} ${base.length ? "these filters" : `“${query}”`}`;
    const all = `${number(every)} of ${plural(total, "skill")}`;
    const edit = result?.edited[0];
    if (edit) return `Nothing for “${edit[0]}”. Showing ${all} for “${edit[1].join("” or “")}”`;
    if (isWeak) return `${all} with some of the words`;
    if (weaker.length) return `${plural(matches.length, "skill")} with ${result.terms[2] ? "most" : "all"} of the words`;
    return inText ? `No skill is about “${query}”; found it or a related word in ${all}` : all;
  };

  // Describes the synonyms that were searched, the words that no skill has, and how many words were
  // ignored.
  const notes = ({ synonyms, ignored, lost, terms }) => {
    const said = [];
    const meant = new Set(synonyms.map(([, other]) => other));
    if (meant.size) said.push(`also searched for: ${[...meant].join(", ")}`);
    if (lost.length && lost.length < terms.length) said.push(`no skill has “${lost.join("” or “")}”`);
    if (ignored) said.push(`${plural(ignored, "word")} ignored`);
    return said.join("; ");
  };

  skillbuild.words = { number, plural, count, notes };
})();
