// Ranks skills for a query, using only integers.
// `release/search/ranking.py` has the same code in Python, and explains the score.
(() => {
  "use strict";
  const bitLength = (number) => 32 - Math.clz32(number);

  // Returns the points of each skill for one term, and how large a part of the term counts. `levels` comes
  // from `finder` in `matching.js`.
  const points = (levels, count, full) => {
    const [best, parts] = [new Int32Array(count), new Uint8Array(count)];
    let having = 0;
    for (const { quality, weights, lift } of levels) {
      for (let i = 0; i < count; i++) if (weights[i] && !best[i]) having++;
      if (!having) continue;
      const factor = quality * bitLength(Math.floor(count / having));
      for (let i = 0; i < count; i++) {
        if (!weights[i]) continue;
        const own = factor * (weights[i] + lift);
        const part = Math.min(full, weights[i] + lift);
        if (own > best[i] || (own === best[i] && part > parts[i])) [best[i], parts[i]] = [own, part];
      }
    }
    return [best, parts];
  };

  // Returns the numbers of the skills that have more than half of the terms, and of the other skills that
  // have any. The best skills come first. Skills with the same score are sorted by path.
  const rank = (terms, { count, numbers }) => {
    const [totals, shares] = [new Int32Array(count), new Int32Array(count)];
    const hits = new Uint8Array(count);
    for (const levels of terms) {
      const [best, parts] = points(levels, count, numbers.full);
      for (let i = 0; i < count; i++) {
        totals[i] += best[i];
        shares[i] += parts[i];
        hits[i] += best[i] > 0;
      }
    }
    const ordered = (accepts) => {
      const keys = [];
      for (let i = 0; i < count; i++) {
        if (hits[i] && accepts(2 * hits[i] > terms.length)) {
          keys.push(totals[i] * shares[i] ** 2 * count + count - 1 - i);
        }
      }
      return Array.from(Float64Array.from(keys).sort().reverse(), (key) => count - 1 - (key % count));
    };
    return { matches: ordered((most) => most), also: ordered((most) => !most) };
  };

  // Returns the weight of the field in which a skill has a term; 0 if the skill does not have it.
  const weightOf = (levels, number) => {
    let [most, own] = [0, 0];
    for (const { quality, weights } of levels) {
      if (quality * weights[number] > most) [most, own] = [quality * weights[number], weights[number]];
    }
    return own;
  };

  skillbuild.ranking = { rank, weightOf };
})();
