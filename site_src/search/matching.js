// Which skills have a term of a query, or what may stand in its place.
// The twin of `release/search/ranking.py`, which says what the levels are.
(() => {
  "use strict";
  const { isIdeographic, stem } = skillbuild.terms;
  const { beginning, hasStem, leaves, numbers, related, shard, wordOf } = skillbuild.shards;
  const [WORDS, BODY, STARTS] = [0, 1, 2];

  // How many characters have to be written, left out or replaced to make one word of the other; both
  // as characters.
  const distance = (a, b) => {
    let row = [...Array(b.length + 1).keys()];
    a.forEach((own, i) => {
      const next = [i + 1];
      b.forEach((other, j) => next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (own !== other))));
      row = next;
    });
    return row.at(-1);
  };
  // Whether two words differ by one character more, less or other, or by two neighbors swapped.
  const isEdit = (a, b) => {
    const [left, right] = [[...a], [...b]];
    if (a === b || Math.abs(left.length - right.length) > 1) return false;
    const swapped = (own, i) => left.toSpliced(i, 2, left[i + 1], own).join("") === b;
    return distance(left, right) === 1 || left.some(swapped);
  };
  // The words that are most like another one: of three characters one may differ, and two neighbors
  // that are swapped count as one. The first come first where several are as near.
  const closest = (word, others) =>
    [...others]
      .map((other) => [isEdit(word, other) ? 1 : distance([...word], [...other]), other])
      .filter(([far, other]) => far <= word.length / 3 && other.length > 2)
      .sort(([one], [other]) => one - other)
      .map(([, other]) => other);

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
    const some = async (kind, choose, accepts, decode) => {
      const found = new Map();
      for (const own of await leaves(manifest.words[kind], choose, decoded)) {
        for (const [key, sets] of own) if (accepts(key)) found.set(decode(key), sets);
      }
      return found;
    };
    // The words of a kind that have a stem, and of each the sets of skills that have it.
    const family = (kind, own) => some(kind, related(own), (key) => hasStem(key, own), wordOf);
    const starts = (start, accepts) => some(STARTS, beginning(start), accepts, (word) => word);
    const prefixed = (word) => starts(word, (other) => other !== word && other.startsWith(word));
    const edited = (word) => starts([...word].slice(0, 3).join(""), (other) => isEdit(word, other));
    // All words with this start, those of bodies last.
    const near = async (start) => {
      const inside = await some(BODY, beginning(start), (key) => key.startsWith(start), wordOf);
      return [...(await starts(start, () => true)).keys(), ...inside.keys()];
    };
    return { near, family, prefixed, edited };
  };

  const lighter = (one, other) => one.map((weight, number) => Math.min(weight, other[number]));
  const heavier = (one, other) => one.map((weight, number) => Math.max(weight, other[number]));

  // Finds the terms of queries in an index.
  const finder = ({ count, fields, numbers: table }, words) => {
    // The largest weight of each skill in any of the sets of a kind; 0 for the others.
    const weigh = (kind, entries) => {
      const heaviest = new Uint8Array(count);
      for (const sets of entries) {
        sets.split("!").forEach((code, position) => {
          const [, weight] = fields[kind][position];
          for (const number of numbers(code)) if (heaviest[number] < weight) heaviest[number] = weight;
        });
      }
      return heaviest;
    };
    const having = (weights) => weights.reduce((sum, weight) => sum + (weight > 0), 0);
    // The skills that have a word, or one with its stem; bodies count if few have it elsewhere.
    const find = async (word) => {
      const own = stem(word);
      const family = await words.family(WORDS, own);
      const code = family.get(word) ?? "";
      family.delete(word);
      const exact = weigh(WORDS, [code]);
      const stems = weigh(WORDS, family.values());
      const names = [word, ...family.keys()];
      // Of common words it is not known which skills have them.
      const isCommon = code.split("!").some((each) => each && !numbers(each).length);
      if (isCommon || having(exact) >= table.few) return { exact, stems, names, isRare: false };
      const bodies = await words.family(BODY, own);
      const inside = weigh(BODY, [bodies.get(word) ?? ""]);
      bodies.delete(word);
      return {
        exact: heavier(exact, inside),
        stems: heavier(stems, weigh(BODY, bodies.values())),
        names: [...names, ...bodies.keys()],
        isRare: 0 < having(inside) && having(inside) <= table.rare,
      };
    };
    const all = (some, act) => Promise.all(some.map(act));
    // Skills that have all words of a synonym in some form, with the smallest of their weights.
    const phrase = async (some) => {
      const found = await all(some, find);
      const weights = found.map(({ exact, stems }) => heavier(exact, stems)).reduce(lighter);
      return { weights, names: found.flatMap((each) => each.names) };
    };

    // The levels at which skills have a term, the best first: a quality, weights by skill, and what
    // is added to each weight. `isAlone` says whether nothing else is asked for.
    return async (term, isAlone) => {
      const { word } = term;
      const length = [...word].length;
      const [wholes, own, others] = await Promise.all([
        all(term.wholes, find),
        find(word),
        all(term.synonyms, phrase),
      ]);
      const lift = isAlone && own.isRare ? table.lift : 0;
      const levels = [];
      const marks = [word, ...term.wholes, ...own.names, ...others.flatMap((each) => each.names)];
      const add = (quality, weighed, more = 0) =>
        levels.push({ quality, weights: weighed.reduce(heavier, new Uint8Array(count)), lift: more });
      const isEmpty = () => levels.every((level) => !level.weights.some(Boolean));

      add(table.whole, wholes.map((each) => each.exact), lift);
      add(table.exact, [own.exact], lift);
      add(table.stem, [own.stems, ...others.map((each) => each.weights)]);
      let prefix = "";
      let edits = [];
      if (length >= table.shortest_prefix && !isIdeographic(word) && (term.hasPrefix || isEmpty())) {
        prefix = word;
        add(table.prefix, [weigh(STARTS, (await words.prefixed(word)).values())]);
      }
      if (length >= table.shortest_edit && !isIdeographic(word) && isEmpty()) {
        const entries = await words.edited(word);
        edits = [...entries.keys()];
        marks.push(...edits);
        add(table.edit, [weigh(STARTS, entries.values())]);
      }
      return { levels, marks, prefix, edits, isLost: isEmpty() };
    };
  };

  skillbuild.matching = { closest, finder, isEdit, wordsOf };
})();
