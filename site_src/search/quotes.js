// What a card shows of long texts: the parts that match, wherever they are.
(() => {
  "use strict";
  const { cut, lacking, quote, spans } = skillbuild;
  const { element, say } = skillbuild.cards;
  // How many characters are shown of a description, which are two lines, and of a line of the text.
  const DESCRIPTION = 100;
  const LINE = 50;
  // A longer text, of more than about 40 kB, is not loaded for a line of it.
  const TOKENS = 10_000;
  const MARKUP = /[\x60[|]|\](\(.*?\))?|\*\*/g;
  // Fields whose words may be in none of the texts.
  const OUTSIDE = /tags|path|group|files|license/;

  // Leaves of a long description the part that matches, unless that would hide a match.
  const shorten = (place, description, marks) => {
    const part = cut(description, marks, DESCRIPTION);
    if (lacking(part, marks).length === lacking(description, marks).length) say(place, part, (text) => spans(text, marks));
  };
  // A page that was opened as a local file can read no other.
  const read = async (digest) => {
    if (location.protocol === "file:") return "";
    try {
      const answer = await fetch(`${document.body.dataset.root}blobs/sha256/${digest}`);
      return answer.ok ? await answer.text() : "";
    } catch {
      return "";
    }
  };
  // Shows on a card how its skill has those of the words that the card does not show: one or two lines
  // of the text that have most of them, or else the fields. `fields` has a name for each mark, empty
  // where the skill lacks it.
  const explain = async (card, { description, fields, text, tokens }, marks) => {
    const place = card.querySelector(".say");
    const shown = [...card.querySelectorAll("h2, .say")].map((each) => each.textContent).join("\n");
    const field = (mark) => fields[marks.indexOf(mark)];
    let wanted = lacking(shown, marks).filter(field);
    if (!place || !wanted.length) return;
    const other = wanted.map(field).find((name) => OUTSIDE.test(name));
    const body = tokens <= TOKENS ? await read(text) : "";
    const quoted = [];
    // Code is quoted only where nothing else has the word.
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
