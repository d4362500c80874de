// Narrows results by facets. A skill must have one of the chosen values of each facet that has any.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // For each skill, sets a bit for each facet if the skill has none of the chosen values. `facets` has the
  // numbers of the skills by facet and value. No skill matches an unknown value.
  const missed = (facets, chosen, count) => {
    const bits = new Uint32Array(count).fill((1 << chosen.size) - 1);
    let bit = 1;
    for (const [facet, values] of chosen) {
      for (const value of values) for (const number of facets.get(facet)?.get(value) ?? []) bits[number] &= ~bit;
      bit <<= 1;
    }
    return bits;
  };

  const narrowed = (facets, chosen, count, numbers) => {
    const bits = missed(facets, chosen, count);
    return [...numbers].filter((number) => !bits[number]);
  };

  // Counts how many of `numbers` would remain for each value, and omits values with none. Chosen values
  // of the same facet are ignored, because choosing another one there adds skills.
  const counts = (facets, chosen, count, numbers) => {
    const bits = missed(facets, chosen, count);
    const order = [...chosen.keys()];
    const tally = new Map();
    for (const [facet, values] of facets) {
      // If a facet has no chosen values, no skill has this bit.
      const own = 1 << order.indexOf(facet);
      const open = new Uint8Array(count);
      for (const number of numbers) open[number] = !(bits[number] & ~own);
      const left = new Map();
      for (const [value, having] of values) {
        let sum = 0;
        for (const number of having) sum += open[number];
        if (sum) left.set(value, sum);
      }
      tally.set(facet, left);
    }
    return tally;
  };

  // Returns the facets of an index with their most used values, the chosen values, and these groups.
  const known = async (index, chosen, groups = []) => {
    const facets = new Map(await index.facets());
    for (const [facet, values] of [...chosen, ["groups", groups]]) {
      const having = new Map(facets.get(facet));
      for (const value of values) if (!having.has(value)) having.set(value, await index.facet(facet, value));
      facets.set(facet, having);
    }
    return facets;
  };

  skillbuild.facets = { known, narrowed, counts };
})();
