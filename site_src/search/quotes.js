// Shows the parts of long texts that match on a card.
(() => {
  "use strict";
  const { cut, lacking, quote, spans } = skillbuild;
  const { element, say } = skillbuild.cards;
  // The number of characters that are shown of a description (two lines), and of a line of the text.
  const DESCRIPTION = 100;
  const LINE = 50;
  // Texts with more tokens (about 40 kB) are not loaded for a quote.
  const TOKENS = 10_000;
  const MARKUP = /[\x60[|]|\](\(.*?\))?|\*\*/g;
  // Fields whose words may not occur in any of the texts.
  const OUTSIDE = /tags|path|group|files|license/;

  // Shortens a long description to the part that matches, unless that would hide another match.
  const shorten = (place, description, marks) => {
    const part = cut(description, marks, DESCRIPTION);
    if (lacking(part, marks).length === lacking(description, marks).length) say(place, part, (text) => spans(text, marks));
  };
  // A page that is opened as a local file cannot read other files.
  const read = async (digest) => {
    if (location.protocol === "file:") return "";
    try {
      const answer = await fetch(`${document.body.dataset.root}blobs/sha256/${digest}`);
      return answer.ok ? await answer.text() : "";
    } catch {
      return "";
    }
  };
  // Shows on a card where the skill has the words that the card does not show: in one or two lines of the
  // text that have most of these words, or else in a field. `fields` has the name of a field for each
  // mark; it is empty if the skill does not have the mark.
  const explain = async (card, { description, fields, text, tokens }, marks) => {
    const place = card.querySelector(".say");
    const shown = [...card.querySelectorAll("h2, .say")].map((each) => each.textContent).join("\n");
    const field = (mark) => fields[marks.indexOf(mark)];
    let wanted = lacking(shown, marks).filter(field);
    if (!place || !wanted.length) return;
    const other = wanted.map(field).find((name) => OUTSIDE.test(name));
    const body = tokens <= TOKENS ? await read(text) : "";
    const quoted = [];
    // Quote code only if nothing else has the word.
    for (const isCode of [false, false, true]) {
      const line = quoted.length < 2 && quote(body, wanted, marks, description, isCode);
      if (!line) continue;
      const said = element(isCode ? "code" : "q", "");
      say(said, cut(isCode ? line : line.replace(MARKUP, ""), wanted, LINE), (part) => spans(part, marks));
      quoted.push(said);
      wanted = lacking(said.textContent, wanted);
    }
    if (!quoted.length) return card.querySelector(".meta")?.append(element("span", `found in ${other ?? "SKILL.md"}`));
    place.append(...quoted);
  };

  skillbuild.quotes = { shorten, explain };
})();
