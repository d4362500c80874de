// The state of a search: a query, the chosen values of each facet, and an order. It does not use the
// page.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const EMPTY = { query: "", chosen: new Map(), sort: "" };

  const typed = (state, query) => ({ ...state, query });
  const sorted = (state, sort) => ({ ...state, sort });
  // Adds a value of a facet to the chosen values, or removes it. Facets without values are left out.
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
  // Whether the state shows the published list in its `usual` order.
  const isPlain = ({ query, chosen, sort }, usual) => !query.trim() && !chosen.size && (!sort || sort === usual);

  skillbuild.state = { EMPTY, typed, sorted, toggled, unfiltered, isPlain };
})();
