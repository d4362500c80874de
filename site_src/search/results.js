// Shows the results in place of the published list, and restores the list without a query or filters.
(() => {
  "use strict";
  const { words, cards, quotes } = skillbuild;
  const { press } = cards;
  // `acts` has the actions of buttons (`more`, `clear`, `unfilter` and `toggle(facet, value)`), the number
  // of skills in the list (`total`), and the titles of groups (`titles`).
  skillbuild.results = (acts) => {
    const at = (id) => document.getElementById(id);
    const [list, pager, count, notes, chips, also] = ["cards", "pager", "count", "notes", "chosen", "also"].map(at);
    const samples = at("card").content.children;
    const { dataset } = at("listing");
    const usual = { ...dataset, titles: acts.titles };
    const plain = new Map([list, pager, count].map((place) => [place, [...place.childNodes]]));
    const number = document.querySelector(".to-filters .n");
    const root = document.documentElement.classList;

    // The text of a skill is loaded when its card becomes visible.
    const seen = new WeakMap();
    const watch = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        seen.get(target)();
      }
    });

    const showChosen = (chosen) => {
      const every = [...chosen].flatMap(([facet, values]) => values.map((value) => [facet, value]));
      const buttons = every.map(([facet, value]) => {
        const known = document.querySelector(`[data-facet="${facet}"] [data-value="${CSS.escape(value)}"]`);
        const title = known?.textContent ?? value;
        const button = press(title, "chip", () => {
          acts.toggle(facet, value);
          at("search").focus();
        });
        button.ariaLabel = `Remove the filter ${title}`;
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
      root.remove("asking", "none");
      showChosen(new Map());
    };
    // A copy of the largest groups, which the page shows above its list.
    const groups = document.querySelector(".face section:has(.tiles)")?.cloneNode(true) ?? "";
    const nothing = ({ base }) => {
      const clear = dataset.guess ? "" : press(`Show all ${words.plural(acts.total, "skill")}`, "more", acts.clear);
      const without = `Remove the filters: ${words.plural(base.length, "skill")}`;
      if (base.length) return [press(without, "more", acts.unfilter), clear];
      return [clear, groups];
    };
    // `rows` has the rows of the matches to add, followed by those of the weaker matches. `before` is the
    // number of cards that are already there.
    const add = (answer, rows, before) => {
      const marks = answer.result?.marks ?? [];
      const spans = (text) => skillbuild.spans(text, marks);
      const drawn = rows.map((row) => cards.fill(samples, row, spans, usual));
      const strong = Math.max(0, answer.matches.length - before);
      drawn.forEach((card, place) => {
        if (!marks.length) return;
        quotes.shorten(card.querySelector(".say"), rows[place].description, marks);
        seen.set(card, () => quotes.explain(card, rows[place], marks));
        watch.observe(card);
      });
      list.append(...drawn.slice(0, strong));
      also.lastElementChild.append(...drawn.slice(strong));
      also.hidden = !also.lastElementChild.children.length;
      also.querySelector("span").textContent = answer.weaker.length;
    };
    // Replaces the previous content with the first cards of an answer.
    const show = (answer, rows, chosen) => {
      const { result, isGuess } = answer;
      count.textContent = isGuess && rows.length ? "Did you mean:" : words.count(answer, acts.total);
      root.add("asking");
      root.toggle("none", !answer.base.length);
      watch.disconnect();
      list.replaceChildren();
      also.lastElementChild.replaceChildren();
      add(answer, rows, 0);
      // The words come from the address of a missing page, so nobody has typed them.
      if (isGuess && !rows.length) at("search").value = "";
      pager.replaceChildren(...(rows.length ? [] : nothing(answer)));
      notes.textContent = result && rows.length && !isGuess ? words.notes(result) : "";
      showChosen(chosen);
    };
    // Adds the other cards, and the button below them.
    const finish = (answer, rows, before) => {
      add(answer, rows, before);
      const left = answer.matches.length + answer.weaker.length - before - rows.length;
      if (left > 0) pager.append(press(`Show more (${words.number(left)} left)`, "more", acts.more));
    };
    const links = () => [...document.querySelectorAll("#cards h2 a, #also[open] h2 a")];
    return { show, finish, restore, links };
  };
})();
