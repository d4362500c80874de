// The facets beside the list: which values leave any skill, how many, and which are chosen.
(() => {
  "use strict";
  const { number } = skillbuild.words;

  // `sections` are the facets of the page as it was published, each with its most used values, and
  // `titles` what to show for values.
  skillbuild.filters = (sections, titles) => {
    const published = sections.map((section) => [...section.querySelectorAll("li")]);
    const counts = new Map(published.flat().map((item) => [item, item.lastElementChild.textContent]));

    const set = (item, text, isChosen, isHidden) => {
      item.firstElementChild.ariaPressed = isChosen;
      item.lastElementChild.textContent = text;
      item.hidden = isHidden;
    };
    const show = (tally, chosen) => {
      sections.forEach((section, place) => {
        const { facet } = section.dataset;
        const left = tally.get(facet);
        const own = chosen.get(facet) ?? [];
        const values = new Set([...own, ...left.keys()]);
        const adjust = (item, value) => set(item, number(left.get(value) ?? 0), own.includes(value), !values.delete(value));
        const list = section.querySelector("ul");
        for (const item of [...list.children]) {
          const { value } = item.firstElementChild.dataset;
          if (values.has(value) || counts.has(item)) adjust(item, value);
          else {
            if (item.contains(document.activeElement)) document.getElementById("search").focus();
            item.remove();
          }
        }
        // A value that is not among the most used is shown as long as it is chosen, or a result has it.
        for (const value of values) {
          const item = published[place][0].cloneNode(true);
          const button = item.firstElementChild;
          button.dataset.value = value;
          button.textContent = titles.get(value) ?? value;
          adjust(item, value);
          list.append(item);
        }
        section.hidden = [...list.children].every((item) => item.hidden);
      });
    };
    const restore = () => {
      sections.forEach((section, place) => {
        section.querySelector("ul").replaceChildren(...published[place]);
        for (const item of published[place]) set(item, counts.get(item), false, false);
        section.hidden = false;
      });
    };
    return { show, restore };
  };
})();
