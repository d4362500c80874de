// What was found, in place of the list as it was published, which comes back when nothing is sought.
(() => {
  "use strict";
  const { words, cards } = skillbuild;
  const { element, press } = cards;
  // Of so many skills, the best, the text is read if it alone has the words.
  const QUOTED = 10;

  // `acts` are what buttons do: `more`, `clear`, `unfilter` and `toggle(facet, value)`.
  skillbuild.results = (acts) => {
    const at = (id) => document.getElementById(id);
    const [list, pager, count, notes, chips, also] = ["cards", "pager", "count", "notes", "chosen", "also"].map(at);
    const samples = at("card").content.children;
    const { dataset } = at("listing");
    const titles = new Map(Object.entries(JSON.parse(dataset.titles ?? "{}")));
    const usual = { ...dataset, titles };
    const plain = new Map([list, pager, count].map((place) => [place, [...place.childNodes]]));
    const number = document.querySelector(".to-filters .n");

    const showChosen = (chosen) => {
      const every = [...chosen].flatMap(([facet, values]) => values.map((value) => [facet, value]));
      const buttons = every.map(([facet, value]) => {
        const known = document.querySelector(`[data-facet="${facet}"] [data-value="${CSS.escape(value)}"]`);
        const title = known?.textContent ?? value;
        const button = press(title, "chip", () => {
          acts.toggle(facet, value);
          at("search").focus();
        });
        button.setAttribute("aria-label", `Remove the filter ${title}`);
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
      document.documentElement.classList.remove("asking");
      showChosen(new Map());
    };
    const nothing = ({ base }) => {
      const clear = press("Clear search and filters", "more", acts.clear);
      if (!base.length) return [element("p", "No skill matches. Try fewer words, or others."), clear];
      const without = `Remove the filters: ${words.plural(base.length, "skill")}`;
      return [element("p", "No skill matches with these filters."), press(without, "more", acts.unfilter), clear];
    };
    // `rows` are those of the matches that are shown, and after them of the weaker ones; `before` is
    // how many cards there are already.
    const add = (answer, rows, before) => {
      const spans = answer.result ? (text) => skillbuild.spans(text, answer.result) : () => [];
      const drawn = rows.map((row) => cards.fill(samples, row, spans, usual));
      const strong = Math.max(0, answer.matches.length - before);
      drawn.slice(0, Math.max(0, QUOTED - before)).forEach((card, place) => {
        if (answer.result) cards.quote(card, rows[place], answer.result);
      });
      list.append(...drawn.slice(0, strong));
      also.lastElementChild.append(...drawn.slice(strong));
      also.hidden = !also.lastElementChild.children.length;
    };
    // The first cards of an answer, in place of what was there.
    const show = (answer, rows, chosen) => {
      document.documentElement.classList.add("asking");
      for (const place of [list, also.lastElementChild]) place.replaceChildren();
      add(answer, rows, 0);
      pager.replaceChildren(...(rows.length ? [] : nothing(answer)));
      notes.textContent = answer.result ? words.notes(answer.result) : "";
      showChosen(chosen);
    };
    // The other cards, and what stands below them.
    const finish = (answer, rows, before) => {
      add(answer, rows, before);
      const left = answer.matches.length + answer.weaker.length - before - rows.length;
      if (left > 0) pager.append(press(`Show ${words.number(Math.min(acts.step, left))} more`, "more", acts.more));
    };
    const links = () => [...document.querySelectorAll("#cards h2 a, #also:not([hidden]) h2 a")];
    return { show, finish, restore, links };
  };
})();
