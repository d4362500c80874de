// What was found, in place of the list as it was published, which comes back when nothing is sought.
(() => {
  "use strict";
  const { words, cards } = skillbuild;
  const { element, press } = cards;

  // `acts` are what buttons do: `more`, `clear`, `unfilter` and `toggle(facet, value)`.
  skillbuild.results = (acts) => {
    const at = (id) => document.getElementById(id);
    const [list, pager, count, notes, chips, also] = ["cards", "pager", "count", "notes", "chosen", "also"].map(at);
    const samples = at("card").content.children;
    const plain = new Map([list, pager, count].map((place) => [place, [...place.childNodes]]));
    const number = document.querySelector(".to-filters .n");

    const showChosen = (chosen) => {
      const every = [...chosen].flatMap(([facet, values]) => values.map((value) => [facet, value]));
      const buttons = every.map(([facet, value]) => {
        const button = press(value, "chip", () => {
          acts.toggle(facet, value);
          at("search").focus();
        });
        button.setAttribute("aria-label", `Remove the filter ${value}`);
        return button;
      });
      if (buttons.length > 1) buttons.push(press("Remove all", "quiet", acts.unfilter));
      chips.replaceChildren(...buttons);
      if (number) number.textContent = every.length || "";
    };
    const restore = () => {
      for (const [place, nodes] of plain) place.replaceChildren(...nodes);
      notes.textContent = "";
      also.hidden = true;
      showChosen(new Map());
    };
    const nothing = ({ base }) => {
      const clear = press("Clear search and filters", "more", acts.clear);
      if (!base.length) return [element("p", "No skill matches. Try fewer words, or others."), clear];
      const without = `Remove the filters: ${words.plural(base.length, "skill")}`;
      return [element("p", "No skill matches with these filters."), press(without, "more", acts.unfilter), clear];
    };
    // `rows` are those of the matches that are shown, and after them of the weaker ones.
    const show = (answer, rows, chosen) => {
      const spans = answer.result ? (text) => skillbuild.spans(text, answer.result) : () => [];
      const drawn = rows.map((row) => cards.fill(samples, row, spans));
      list.replaceChildren(...drawn.slice(0, answer.matches.length));
      const weaker = drawn.slice(answer.matches.length);
      also.hidden = !weaker.length;
      also.lastElementChild.replaceChildren(...weaker);
      notes.textContent = answer.result ? words.notes(answer.result) : "";
      showChosen(chosen);
      const left = answer.matches.length + answer.weaker.length - rows.length;
      const more = left > 0 ? [press(`Show ${words.number(Math.min(acts.step, left))} more`, "more", acts.more)] : [];
      pager.replaceChildren(...(rows.length ? more : nothing(answer)));
    };
    const links = () => [...document.querySelectorAll("#cards h2 a, #also:not([hidden]) h2 a")];
    return { show, restore, links };
  };
})();
