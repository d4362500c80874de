// Converts a search state to and from the query of an address, and keeps the browser history.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // Servers refuse long addresses, and a search reads at most 16 terms of 64 characters.
  const LONGEST = 1024;
  const MOST_VALUES = 50;

  // `facets` has the names of all facets, and `sorts` has all orders.
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
  // Returns an empty string for an empty state, and otherwise a string that starts with `?`.
  const write = ({ query, chosen, sort }) => {
    const written = new URLSearchParams();
    const words = [...query.trim()].slice(0, LONGEST).join("");
    if (words) written.set("q", words);
    for (const [facet, values] of chosen) for (const value of values) written.append(facet, value);
    if (sort) written.set("sort", sort);
    const text = written.toString();
    return text && `?${text}`;
  };

  // Each settled state is an entry in the history. Continuous typing creates only one entry, so that
  // the Back button does not stop at every letter.
  const keeper = (location, history) => {
    let [current, typing] = ["", false];
    const settle = () => (typing = false);
    // This state was read from the address, so the address does not change.
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
        // Some browsers do not change the address of a local file, or limit how often it can change.
      }
    };
    return { settle, recalled, remember };
  };

  skillbuild.address = { read, write, keeper };
})();
