// A state as the query of an address, and the history of the states that somebody went through.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // Servers refuse long addresses; a search reads 16 terms of 64 characters.
  const LONGEST = 1024;
  const MOST_VALUES = 50;

  // `facets` are the names that count as facets, `sorts` the orders that there are.
  const read = (search, facets, sorts) => {
    const given = new URLSearchParams(search);
    const chosen = new Map();
    for (const facet of facets) {
      const values = [...new Set(given.getAll(facet))].slice(0, MOST_VALUES);
      if (values.length) chosen.set(facet, values);
    }
    const sort = given.get("sort") ?? "";
    return { query: given.get("q") ?? "", chosen, sort: sorts.includes(sort) ? sort : "" };
  };
  // Empty for a state without anything, otherwise with its question mark.
  const write = ({ query, chosen, sort }) => {
    const written = new URLSearchParams();
    const words = [...query.trim()].slice(0, LONGEST).join("");
    if (words) written.set("q", words);
    for (const [facet, values] of chosen) for (const value of values) written.append(facet, value);
    if (sort) written.set("sort", sort);
    const text = written.toString();
    return text && `?${text}`;
  };

  // Each state that settles is an entry of the history. What is typed in one go shares one entry,
  // so that the way back does not lead over single letters.
  const keeper = (location, history) => {
    let [current, typing] = ["", false];
    const settle = () => (typing = false);
    // The address has this state already: it was read from there.
    const recalled = (state) => ([current, typing] = [write(state), false]);
    const remember = (state, isTyping) => {
      const search = write(state);
      const method = typing && isTyping ? "replaceState" : "pushState";
      typing = isTyping && (typing || search !== current);
      if (search === current) return;
      current = search;
      try {
        history[method](null, "", location.pathname + search);
      } catch {
        // Some browsers keep the address of a local file as it is, or limit how often it changes.
      }
    };
    return { settle, recalled, remember };
  };

  skillbuild.address = { read, write, keeper };
})();
