// Splits queries into terms the way the index splits texts.
// `text/terms.py` has the same code in Python, and tests compare both.
(() => {
  "use strict";
  const { LETTER, IDEOGRAPHS, folded } = skillbuild.letters;
  const LONGEST_WORD = 64;
  const MOST_TERMS = 16;
  const LONGEST_WHOLE = 40;
  const MOST_PARTS = 4;
  const TOKEN = new RegExp(`[${LETTER}]+(?:[-_/.][${LETTER}]+)*`, "gu");
  const ASCII_TOKEN = /[0-9A-Za-z]+(?:[-_/.][0-9A-Za-z]+)*/g;
  // Anything except ASCII, white space, and punctuation such as dashes and quotes.
  const OTHER_LETTER = /[^ -~\s\u2000-\u206f]/;
  const JOINED = /[-_/.]/;
  const BETWEEN_PARTS = /(?<=[a-z])(?=[A-Z])|(?<=[0-9A-Z])(?=[A-Z](?:[a-rt-z]|s[a-zA-Z]))/;
  const RUN = new RegExp(`[${IDEOGRAPHS}]+|[^${IDEOGRAPHS}]+`, "gu");
  const IDEOGRAPH = new RegExp(`[${IDEOGRAPHS}]`, "u");
  const STOP_WORDS = new Set(
    (
      "a about after all also am an and any are as at be because been before being but by can cannot " +
      "could did do does doing don for from get had has have having he her here him his how i if in " +
      "into is it its just ll like me more most my no not of off on one or our out over own please " +
      "re s shall she should so some such t than that the their them then there these they this those " +
      "to too up use used using ve very want was we were what when where which while who why will with " +
      "would you your"
    ).split(" "),
  );

  // Finds tokens with their positions. The full table of letters is slow, so ASCII texts do not use it.
  const tokens = (text) => [...text.matchAll(OTHER_LETTER.test(text) ? TOKEN : ASCII_TOKEN)];

  const size = (word) => [...word].length;
  const isIdeographic = (word) => IDEOGRAPH.test(String.fromCodePoint(word.codePointAt(0)));
  const pairs = (part) => {
    const characters = [...part];
    return characters.slice(1).map((character, i) => characters[i] + character);
  };

  // Returns the parts of each segment of a token as written, without the characters between segments.
  const rawParts = (token) =>
    token.split(JOINED).map((segment) => segment.split(BETWEEN_PARTS).flatMap((part) => part.match(RUN) || []));
  // Joins parts into one word. Returns an empty string if there is only one part, if there are too many, or
  // if the word is too long or has ideographs.
  const compound = (parts) => {
    const whole = parts.join("");
    const isCompound = 1 < parts.length && parts.length <= MOST_PARTS && size(whole) <= LONGEST_WHOLE;
    return isCompound && !IDEOGRAPH.test(whole) ? whole : "";
  };
  // Returns the folded parts of each segment of a token with their compound, and the compound of all
  // segments.
  const split = (token) => {
    const segments = rawParts(token).map((raw) => {
      const parts = raw.map(folded).filter(Boolean);
      return [parts, compound(parts)];
    });
    return [segments, compound(segments.map(([parts]) => parts.join("")))];
  };

  // Whether other words may have the same stem.
  const isStemmed = (word) => /^[a-z]{3,}$/.test(word);
  // Returns the stem, which related words share.
  const stem = (word) => (isStemmed(word) ? skillbuild.snowball(word) : word);

  // Creates a term. `termsOf` below returns the terms of a query in order, possibly with duplicates.
  const term = (word, wholes = []) => ({ word, wholes, synonyms: [], hasPrefix: false });
  // Returns the word of a token if it can be half of a compound, and otherwise an empty string.
  const plainWord = ([[[parts], ...others]]) => {
    const word = others.length || parts.length !== 1 ? "" : parts[0];
    return isStemmed(word) && !STOP_WORDS.has(word) ? word : "";
  };
  const termsOf = (text) => {
    const every = tokens(text).map(([token]) => split(token));
    const plain = every.map(plainWord);
    return every.flatMap(([segments, whole], place) => {
      const [before, own, after] = [plain[place - 1], plain[place], plain[place + 1]];
      if (own) {
        const joined = [before && before + own, after && own + after];
        return [term(own, joined.filter((pair) => pair && pair.length <= LONGEST_WHOLE))];
      }
      const largest = whole || (segments.length === 1 ? segments[0][1] : "");
      const isDull = segments.every(([parts]) => parts.every((part) => STOP_WORDS.has(part)));
      if (largest && isDull) return [term(largest)];
      return segments.flatMap(([parts, inner]) => {
        const wholes = [inner, whole].filter(Boolean);
        return parts.flatMap((part) =>
          size(part) > 1 && isIdeographic(part) ? pairs(part).map((pair) => term(pair)) : [term(part, wholes)],
        );
      });
    });
  };
  // Adds the synonyms of phrases to their terms, and returns what was added.
  const addSynonyms = (terms, groups) => {
    const typed = terms.map((each) => each.word);
    const added = [];
    for (const group of groups) {
      for (const own of group) {
        const start = typed.findIndex((_, i) => own.every((word, j) => typed[i + j] === word));
        if (start < 0 || !own.length) continue;
        const others = group.filter((other) => other.join(" ") !== own.join(" "));
        for (const each of terms.slice(start, start + own.length)) {
          const present = each.synonyms.map((other) => other.join(" "));
          each.synonyms.push(...others.filter((other) => !present.includes(other.join(" "))));
        }
        added.push(...others.map((other) => [own.join(" "), other.join(" ")]));
      }
    }
    return added;
  };
  // Parses a query. Each of the `groups` has phrases with the same meaning, as lists of words.
  const parse = (text, groups = []) => {
    const first = new Map();
    for (const each of termsOf(text)) if (!first.has(each.word)) first.set(each.word, each);
    const every = [...first.values()];
    const others = every.filter((each) => !STOP_WORDS.has(each.word));
    const kept = others.length ? others : every;
    const terms = kept.filter((each) => size(each.word) <= LONGEST_WORD).slice(0, MOST_TERMS);
    const last = terms.at(-1);
    if (last && !isIdeographic(last.word) && size(last.word) > 1) last.hasPrefix = true;
    const synonyms = addSynonyms(terms, groups);
    return { terms, synonyms, ignored: kept.length - terms.length };
  };
  const phrase = (text) => parse(text).terms.map((each) => each.word);

  skillbuild.terms = { isIdeographic, parse, phrase, rawParts, stem, tokens };
})();
