// The order of skills for a query, in integers alone.
// The twin of `release/search/ranking.py`, which says what a score is made of.
(() => {
  "use strict";
  const bitLength = (number) => 32 - Math.clz32(number);

  // What each skill gets for one term; `levels` are those of `matching.match`.
  const points = (levels, count) => {
    const best = new Int32Array(count);
    let having = 0;
    for (const { quality, weights } of levels) {
      for (let i = 0; i < count; i++) if (weights[i] && !best[i]) having++;
      if (!having) continue;
      const factor = quality * bitLength(Math.floor(count / having));
      for (let i = 0; i < count; i++) best[i] = Math.max(best[i], factor * weights[i]);
    }
    return best;
  };

  // The numbers of the skills that have more than half of the terms, and of the others that have
  // any; the best first, and of equals the one whose path comes first.
  const rank = (terms, count) => {
    const totals = new Int32Array(count);
    const hits = new Uint8Array(count);
    for (const levels of terms) {
      const best = points(levels, count);
      for (let i = 0; i < count; i++) {
        totals[i] += best[i];
        hits[i] += best[i] > 0;
      }
    }
    const ordered = (accepts) => {
      const keys = [];
      for (let i = 0; i < count; i++) {
        if (hits[i] && accepts(2 * hits[i] > terms.length)) {
          keys.push(totals[i] * hits[i] ** 2 * count + count - 1 - i);
        }
      }
      return Array.from(Float64Array.from(keys).sort().reverse(), (key) => count - 1 - (key % count));
    };
    return { matches: ordered((most) => most), also: ordered((most) => !most) };
  };

  skillbuild.ranking = { rank };
})();
