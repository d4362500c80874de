// What somebody looks for: words, the chosen values of each facet, and an order. Values, no page.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const EMPTY = { query: "", chosen: new Map(), sort: "" };

  const typed = (state, query) => ({ ...state, query });
  const sorted = (state, sort) => ({ ...state, sort });
  // The state with a value of a facet chosen, or no longer if it was; facets without values are left out.
  const toggled = (state, facet, value) => {
    const before = state.chosen.get(facet) ?? [];
    const after = before.filter((other) => other !== value);
    if (after.length === before.length) after.push(value);
    const chosen = new Map(state.chosen);
    if (after.length) chosen.set(facet, after);
    else chosen.delete(facet);
    return { ...state, chosen };
  };
  const unfiltered = (state) => ({ ...state, chosen: new Map() });
  // Whether the list stands as it was published, in its `usual` order.
  const isPlain = ({ query, chosen, sort }, usual) => !query.trim() && !chosen.size && (!sort || sort === usual);

  skillbuild.state = { EMPTY, typed, sorted, toggled, unfiltered, isPlain };
})();
