// Decodes the words and the sets of skill numbers in a shard, and finds the shards of a word.
// `release/search/encoding.py` and `release/search/reading.py` have the same code in Python.
(() => {
  "use strict";
  const LITERALS = 75;
  const BITMAP = "~";

  // Returns the numbers of a set, in ascending order.
  const numbers = (code) => {
    const every = [];
    if (code[0] === BITMAP) {
      const bytes = atob(code.slice(1));
      for (let i = 0; i < bytes.length; i++) {
        const byte = bytes.charCodeAt(i);
        for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) every.push(8 * i + bit);
      }
      return every;
    }
    let last = -1;
    for (let i = 0; i < code.length; i++) {
      const character = code.charCodeAt(i);
      const symbol = character - (character > 92 ? 36 : 35);
      if (symbol < LITERALS) every.push((last += symbol + 1));
      else last += LITERALS * 2 ** (symbol - LITERALS);
    }
    return every;
  };

  // Returns the words of a shard. Each word in the text starts with a capital letter, which says how many
  // characters it shares with the previous word.
  const words = (text) => {
    let last = "";
    return (text.match(/[A-Z][^A-Z]*/g) || []).map((front) => {
      last = last.slice(0, front.charCodeAt(0) - 65) + front.slice(1);
      return last;
    });
  };
  // Returns the encoded sets of a shard by word.
  const shard = ([front, sets]) => {
    const each = sets.split(" ");
    return new Map(words(front).map((word, i) => [word, each[i]]));
  };

  // Returns the word of a key. A key is a stem. If the word differs from its stem, an apostrophe follows,
  // then another apostrophe for each letter to remove from the end of the stem, and then the rest of the
  // word.
  const wordOf = (key) => {
    const [, stem, signs, end] = key.match(/^([^']*)'?('*)(.*)$/);
    return stem.slice(0, stem.length - signs.length) + end;
  };
  const hasStem = (key, stem) => key === stem || key.startsWith(`${stem}'`);

  // Compares by code points, and returns a negative number, 0 or a positive one. `<` would compare the
  // surrogates of characters beyond U+FFFF.
  const compare = (a, b) => {
    let i = 0;
    while (i < a.length && a[i] === b[i]) i++;
    return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1);
  };
  // Returns the position of the last file that can contain a key.
  const place = (named, key) => {
    let [low, high] = [0, named.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(named[middle][0], key) <= 0) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  };
  // Returns the files of a sorted list that can contain a key, or later keys that begin with `start`.
  const overlapping = (named, key, start) => {
    const first = place(named, key);
    let end = first + 1;
    while (end < named.length && named[end][0].startsWith(start)) end++;
    return named.slice(first, end);
  };

  // Loads the leaves of a tree. `choose` selects the files of each list, and `part` loads a file by name.
  const leaves = async ([depth, named], choose, part) => {
    const chosen = choose(named).map(([, name]) => part(name));
    const loaded = await Promise.all(chosen);
    if (!depth) return loaded;
    const inner = await Promise.all(loaded.map((own) => leaves([depth - 1, own], choose, part)));
    return inner.flat();
  };
  const beginning = (start) => (named) => overlapping(named, start, start);
  const related = (stem) => (named) => overlapping(named, stem, `${stem}'`);
  const holding = (key) => (named) => {
    const own = place(named, key);
    return named.slice(own, own + 1);
  };

  skillbuild.shards = { beginning, hasStem, holding, leaves, numbers, related, shard, wordOf };
})();
