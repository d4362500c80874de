// What the page says about a search, in words.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // What a browser has for it takes longer than all of a search.
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const plural = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;

  // Of `total` skills; `isWeak` says that none matches all of the words well.
  const count = ({ matches, weaker, isWeak }, total) => {
    const kind = isWeak ? " with some of the words" : "";
    const more = weaker.length ? `, ${number(weaker.length)} more with some of the words` : "";
    return `${number(matches.length)} of ${plural(total, "skill")}${kind}${more}`;
  };

  // What was made of the words: others that mean the same, those that no skill has, and how many were left
  // out.
  const notes = ({ synonyms, ignored, lost, terms }) => {
    const said = [];
    const meant = [...new Set(synonyms.map(([, other]) => other))];
    if (meant.length) said.push(`also: ${meant.join(", ")}`);
    if (lost.length && terms.length > 1) said.push(`no skill has “${lost.join("” or “")}”`);
    if (ignored) said.push(`${plural(ignored, "word")} too many, ignored`);
    return said.join("; ");
  };

  skillbuild.words = { number, plural, count, notes };
})();
