// Opens the index of a catalog and answers queries. It loads a file when a query needs it.
(() => {
  "use strict";
  const { parse, phrase } = skillbuild.terms;
  const { holding, leaves, numbers } = skillbuild.shards;
  const { closest, finder, wordsOf } = skillbuild.matching;
  const { rank, weightOf } = skillbuild.ranking;

  // The number of words that are suggested if nothing is found.
  const NEAR = 4;
  // If the catalog has more skills than this, suggestions share the first two letters with the query,
  // because there are too many words with the same first letter.
  const FEW = 5000;

  // Loads each file below `search/` only once. If that fails, the next query tries again.
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

  // `load` takes the name of a file below `search/` and returns a promise of its value.
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
      // For each term, the words that match it, and the prefix of other words that match.
      const marks = matched.map((each) => ({ words: new Set(each.marks), prefix: each.prefix }));
      const terms = query.terms.map((term) => term.word);
      const lost = terms.filter((_, i) => matched[i].isLost);
      // Terms that no skill has, with the words that replace them.
      const edited = terms.map((term, i) => [term, matched[i].edits]).filter(([, edits]) => edits.length);
      // For each term, the name of the field in which a skill has it; empty if the skill does not have it.
      const where = (number) => matched.map((each) => fields.get(weightOf(each.levels, number)) ?? "");
      return { matches, also, terms, lost, edited, synonyms: query.synonyms, ignored: query.ignored, marks, where };
    };

    // Suggests words of the catalog with a similar spelling if a query finds nothing.
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
    // A number for each skill to sort by, such as the day of its last change.
    const order = (name) => file(name === "date" ? "dates.js" : `../orders/${name}.js`);

    return { count, find, near, rows: (wanted) => Promise.all(wanted.map(row)), facets: facetsOf, facet, order };
  };
})();
