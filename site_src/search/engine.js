// Opens the index of a catalog and answers from it; files are loaded when a question needs them.
(() => {
  "use strict";
  const { parse, phrase } = skillbuild.terms;
  const { holding, leaves, numbers } = skillbuild.shards;
  const { closest, finder, wordsOf } = skillbuild.matching;
  const { rank, weightOf } = skillbuild.ranking;

  // How many words of the catalog are told to who finds nothing.
  const NEAR = 4;
  // Of more skills than this, only words with the same two letters at their start are near: those
  // with the same one are too many to load.
  const FEW = 5000;

  // Files by their name below `search/`, each loaded once; a failed one is tried again.
  const remembering = (load) => {
    const parts = new Map();
    return (name) => {
      if (!parts.has(name)) {
        const part = load(name);
        parts.set(name, part);
        part.catch(() => parts.delete(name));
      }
      return parts.get(name);
    };
  };

  const toRow = ([path, title, description, license, files, tokens, signals, icon, group, text]) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { path, name, title, description, license, group, files, tokens, signals, icon, text };
  };

  // `load` gives a promise of the value in a file below `search/`, by its name.
  skillbuild.openIndex = async (load) => {
    const manifest = await load("manifest.js");
    const { count, rows, facets } = manifest;
    const file = remembering(load);
    const part = (name) => file(`${name}.js`);
    const words = wordsOf(manifest, part);
    const match = finder(manifest, words);
    const nearest = async (word) => {
      const start = [...word].slice(0, count > FEW ? 2 : 1).join("");
      const others = await words.near(start);
      return others.includes(word) ? [] : closest(word, others);
    };
    const fields = new Map(manifest.fields.flat().map(([name, weight]) => [weight, name]));
    const groups = manifest.synonyms.map((group) => group.map(phrase));

    const find = async (text) => {
      const query = parse(text, groups);
      if (!query.terms.length && !query.ignored) return null;
      const isAlone = query.terms.length === 1;
      const matched = await Promise.all(query.terms.map((term) => match(term, isAlone)));
      const { matches, also } = rank(matched.map((each) => each.levels), manifest);
      // For each term the words in texts that match it, and what others begin with that do, too.
      const marks = matched.map((each) => ({ words: new Set(each.marks), prefix: each.prefix }));
      const terms = query.terms.map((term) => term.word);
      const lost = terms.filter((_, i) => matched[i].isLost);
      // Terms that no skill has, each with the words in place of it.
      const edited = terms.map((term, i) => [term, matched[i].edits]).filter(([, edits]) => edits.length);
      // For each term the field in which a skill has it, by its name; empty if it has it nowhere.
      const where = (number) => matched.map((each) => fields.get(weightOf(each.levels, number)) ?? "");
      return { matches, also, terms, lost, edited, synonyms: query.synonyms, ignored: query.ignored, marks, where };
    };

    // Words of the catalog that are spelled much like those of a query, for who finds nothing.
    const near = async (text) => {
      const every = await Promise.all(parse(text, groups).terms.map(({ word }) => nearest(word)));
      return [...new Set(every.flat())].slice(0, NEAR);
    };

    const row = async (number) => {
      let leaf = Math.floor(number / rows.leaf);
      let names = rows.files;
      for (let size = rows.directory ** rows.depth; size > 1; size /= rows.directory) {
        names = await part(names[Math.floor(leaf / size)]);
        leaf %= size;
      }
      return toRow((await part(names[leaf]))[number % rows.leaf]);
    };

    const frequent = async () => {
      const every = await part(facets.frequent);
      const toMap = (values) => new Map(values.map(([value, code]) => [value, Uint32Array.from(numbers(code))]));
      return new Map(every.map(([key, values]) => [key, toMap(values)]));
    };
    let known = null;
    const facetsOf = () => {
      known ??= frequent();
      known.catch(() => (known = null));
      return known;
    };
    const facet = async (key, value) => {
      const shown = (await facetsOf()).get(key)?.get(value);
      if (shown) return shown;
      const name = `${key} ${value}`;
      const every = (await leaves(facets.others, holding(name), part)).flat();
      return Uint32Array.from(numbers(every.find(([own]) => own === name)?.[1] ?? ""));
    };
    // For each skill a number to sort by: the day of its last change, or whatever has this name.
    const order = (name) => file(name === "date" ? "dates.js" : `../orders/${name}.js`);

    return { count, find, near, rows: (wanted) => Promise.all(wanted.map(row)), facets: facetsOf, facet, order };
  };
})();
