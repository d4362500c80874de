// The facets beside the list. They show the values that leave any skills, how many, and which values
// are chosen.
(() => {
  "use strict";
  const { cards, words } = skillbuild;
  // The number of values that a facet shows at first.
  const MOST = 12;

  // `sections` has the facets of the published page with their most used values. `titles` has the texts
  // that are shown for values.
  skillbuild.filters = (sections, titles) => {
    const valueOf = (item) => item.firstElementChild.dataset.value;
    const published = sections.map((section) => [...section.querySelectorAll("li")]);
    const counts = new Map(published.flat().map((item) => [item, item.lastElementChild.textContent]));

    const set = (item, text, isChosen, isHidden) => {
      item.firstElementChild.ariaPressed = isChosen;
      item.lastElementChild.textContent = text;
      item.hidden = isHidden;
    };
    const fill = (section, items) => {
      const focused = document.activeElement;
      const list = section.querySelector("ul");
      const had = list.contains(focused);
      list.replaceChildren(...items);
      if (had) (list.contains(focused) ? focused : document.getElementById("search")).focus();
      section.querySelector(".quiet")?.remove();
      const rest = items.filter((item) => item.hidden);
      const open = ({ target }) => {
        for (const item of rest) item.hidden = false;
        rest[0].firstElementChild.focus();
        target.remove();
      };
      if (rest.length) list.after(cards.press(`Show ${rest.length} more`, "quiet", open));
      section.hidden = !items.length;
    };
    const show = (tally, chosen) => {
      sections.forEach((section, place) => {
        const { facet } = section.dataset;
        const left = tally.get(facet);
        const own = chosen.get(facet) ?? [];
        const known = new Map(published[place].map((item) => [valueOf(item), item]));
        const having = (value) => left.get(value) ?? 0;
        const every = new Set([...known.keys(), ...own, ...left.keys()]);
        const values = [...every].filter((value) => having(value) || own.includes(value));
        // The facet about what skills do is sorted by danger.
        if (facet !== "contents") values.sort((one, other) => having(other) - having(one));
        const items = values.map((value, number) => {
          const item = known.get(value) ?? published[place][0].cloneNode(true);
          const button = item.firstElementChild;
          if (!known.has(value)) {
            button.dataset.value = value;
            button.textContent = titles.get(value) ?? value;
          }
          set(item, words.number(having(value)), own.includes(value), number >= MOST && !own.includes(value));
          return item;
        });
        fill(section, items);
      });
    };
    const restore = () => {
      sections.forEach((section, place) => {
        for (const item of published[place]) set(item, counts.get(item), false, false);
        fill(section, published[place]);
      });
    };
    return { show, restore };
  };
})();
