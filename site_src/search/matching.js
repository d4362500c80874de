// Finds the skills that have a term of a query or a substitute for it.
// `release/search/ranking.py` has the same code in Python, and explains the levels.
(() => {
  "use strict";
  const { isIdeographic, stem } = skillbuild.terms;
  const { beginning, hasStem, leaves, numbers, related, shard, wordOf } = skillbuild.shards;
  const [WORDS, BODY, STARTS] = [0, 1, 2];

  // Counts the characters to insert, delete or replace to turn one word into the other. Both words are
  // lists of characters.
  const distance = (a, b) => {
    let row = [...Array(b.length + 1).keys()];
    a.forEach((own, i) => {
      const next = [i + 1];
      b.forEach((other, j) => next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (own !== other))));
      row = next;
    });
    return row.at(-1);
  };
  // Whether two words differ by one inserted, deleted or replaced character, or by two swapped neighbors.
  const isEdit = (a, b) => {
    const [left, right] = [[...a], [...b]];
    if (a === b || Math.abs(left.length - right.length) > 1) return false;
    const swapped = (own, i) => left.toSpliced(i, 2, left[i + 1], own).join("") === b;
    return distance(left, right) === 1 || left.some(swapped);
  };
  // Returns the words that are most similar to a word, in stable order. One in three characters may
  // differ. Two swapped neighbors count as one difference.
  const closest = (word, others) =>
    [...others]
      .map((other) => [isEdit(word, other) ? 1 : distance([...word], [...other]), other])
      .filter(([far, other]) => far <= word.length / 3 && other.length > 2)
      .sort(([one], [other]) => one - other)
      .map(([, other]) => other);

  // The words of an index. `part` takes the name of a file and returns its value.
  const wordsOf = (manifest, part) => {
    const shards = new Map();
    const decoded = async (name) => {
      const value = await part(name);
      // A directory consists of pairs.
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
    // Returns the words of a kind that have a stem, each with the sets of skills that have the word.
    const family = (kind, own) => some(kind, related(own), (key) => hasStem(key, own), wordOf);
    const starts = (start, accepts) => some(STARTS, beginning(start), accepts, (word) => word);
    const prefixed = (word) => starts(word, (other) => other !== word && other.startsWith(word));
    const edited = (word) => starts([...word].slice(0, 3).join(""), (other) => isEdit(word, other));
    // Returns all words with this prefix. Words that occur only in bodies come last.
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
    // Returns the largest weight of each skill in any of the sets of a kind, or 0.
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
    // Finds the skills that have a word or its stem. Bodies count only if few skills have it elsewhere.
    const find = async (word) => {
      const own = stem(word);
      const family = await words.family(WORDS, own);
      const code = family.get(word) ?? "";
      family.delete(word);
      const exact = weigh(WORDS, [code]);
      const stems = weigh(WORDS, family.values());
      const names = [word, ...family.keys()];
      // The index does not say which skills have a common word.
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
    // Finds the skills that have all words of a synonym in some form, with their smallest weight.
    const phrase = async (some) => {
      const found = await all(some, find);
      const weights = found.map(({ exact, stems }) => heavier(exact, stems)).reduce(lighter);
      return { weights, names: found.flatMap((each) => each.names) };
    };

    // Returns the levels at which skills have a term, the best first. A level has a quality, a weight for
    // each skill, and a number to add to each weight. `isAlone` says whether the query has no other terms.
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
