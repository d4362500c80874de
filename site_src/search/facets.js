// Narrowing by facets: one of the values within a facet, and that in each facet of which any is chosen.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // For each skill, a bit for each facet of which it has no chosen value. `facets` has the numbers of
  // the skills by facet and value; a value that no skill has is met by none.
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

  // How many of `numbers` each value would leave, if any: what is chosen in its own facet does not count,
  // as another value there widens the choice.
  const counts = (facets, chosen, count, numbers) => {
    const bits = missed(facets, chosen, count);
    const order = [...chosen.keys()];
    const tally = new Map();
    for (const [facet, values] of facets) {
      // Of a facet without chosen values it is a bit that none has.
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

  // The facets of an index, and the chosen values and these groups beside its most used ones.
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
