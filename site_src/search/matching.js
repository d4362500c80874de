// Which skills have a term of a query, or what may stand in its place.
// The twin of `release/search/ranking.py`, which says what the levels are.
(() => {
  "use strict";
  const { isIdeographic, stem, wordsOfStem } = skillbuild.terms;
  const { beginning, holding, leaves, numbers, shard } = skillbuild.shards;
  const [SHOWN, BODY] = [0, 1];

  // Whether two words differ by one character more, less or other, or by two neighbors swapped.
  const isEdit = (a, b) => {
    const [left, right] = [[...a], [...b]];
    if (a === b || Math.abs(left.length - right.length) > 1) return false;
    let start = 0;
    while (start < left.length && left[start] === right[start]) start++;
    let end = 0;
    const most = Math.min(left.length, right.length) - start;
    while (end < most && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
    const [own, other] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
    if (own.length < 2 && other.length < 2) return true;
    return own.length === 2 && other.length === 2 && own[0] === other[1] && own[1] === other[0];
  };

  // The words of an index. `part` gives the value of a file by its name.
  const wordsOf = (manifest, part) => {
    const shards = new Map();
    const decoded = async (name) => {
      const value = await part(name);
      // A directory has pairs.
      if (!value[0]?.charAt) return value;
      if (!shards.has(name)) shards.set(name, shard(value));
      return shards.get(name);
    };
    // What an index says of some words of a kind.
    const known = async (kind, some) => {
      const own = await leaves(manifest.words[kind], holding(some), decoded);
      return own.flatMap((each) =>
        some.filter((word) => each.has(word)).map((word) => ({ word, kind, sets: each.get(word) })),
      );
    };
    // Words of files are known by their stems.
    const exact = async (...some) =>
      (await Promise.all([known(SHOWN, some), known(BODY, some.map(stem))])).flat();
    const among = async (start, accepts) => {
      const every = [];
      for (const own of await leaves(manifest.words[SHOWN], beginning(start), decoded)) {
        for (const [word, sets] of own) if (accepts(word)) every.push({ word, kind: SHOWN, sets });
      }
      return every;
    };
    const stems = async (word) =>
      /^[a-z]{3,}$/.test(word) ? known(SHOWN, wordsOfStem(stem(word)).filter((other) => other !== word)) : [];
    const prefixed = (word) => among(word, (other) => other !== word && other.startsWith(word));
    const edited = (word) => among([...word].slice(0, 3).join(""), (other) => isEdit(word, other));
    return { exact, stems, prefixed, edited };
  };

  // The largest weight of each skill that has one of these entries; 0 for the others.
  const weigh = (entries, { count, weights }) => {
    const heaviest = new Uint8Array(count);
    for (const { kind, sets } of entries) {
      sets.split("!").forEach((code, position) => {
        const weight = weights[kind][position];
        for (const number of numbers(code)) if (heaviest[number] < weight) heaviest[number] = weight;
      });
    }
    return heaviest;
  };
  const lighter = (one, other) => one.map((weight, number) => Math.min(weight, other[number]));
  const heavier = (one, other) => one.map((weight, number) => Math.max(weight, other[number]));

  // The levels at which skills have a term, the best first: a quality, and weights by skill.
  const match = async (term, manifest, words) => {
    const { numbers: table } = manifest;
    const length = [...term.word].length;
    const levels = [];
    const marks = [term.word, ...term.wholes];
    const add = (quality, ...weighed) => levels.push({ quality, weights: weighed.reduce(heavier) });
    const isEmpty = () => levels.every((level) => !level.weights.some(Boolean));

    const all = async (list, ask) => (await Promise.all(list.map(ask))).flat();
    const alike = async (word) => weigh(await all([words.exact, words.stems], (ask) => ask(word)), manifest);
    const [wholes, exact, stems, meant] = await Promise.all([
      words.exact(...term.wholes),
      words.exact(term.word),
      words.stems(term.word),
      all(term.synonyms, async (phrase) => [(await Promise.all(phrase.map(alike))).reduce(lighter)]),
    ]);
    add(table.whole, weigh(wholes, manifest));
    add(table.exact, weigh(exact, manifest));
    add(table.stem, weigh(stems, manifest), ...meant);
    marks.push(...stems.map((entry) => entry.word), ...term.synonyms.flat());
    const hasPrefix = length >= table.shortest_prefix && !isIdeographic(term.word);
    let prefix = "";
    if (hasPrefix && (term.hasPrefix || isEmpty())) {
      prefix = term.word;
      add(table.prefix, weigh(await words.prefixed(term.word), manifest));
    }
    if (length >= table.shortest_edit && !isIdeographic(term.word) && isEmpty()) {
      const entries = await words.edited(term.word);
      marks.push(...entries.map((entry) => entry.word));
      add(table.edit, weigh(entries, manifest));
    }
    return { levels, marks, prefix };
  };

  skillbuild.matching = { isEdit, match, wordsOf };
})();
