// The facets beside the list: which values leave any skill, how many, and which are chosen.
(() => {
  "use strict";
  const { number } = skillbuild.words;

  // `sections` are the facets of the page as it was published, each with its most used values.
  skillbuild.filters = (sections) => {
    const published = sections.map((section) => [...section.querySelectorAll("li")]);
    const counts = new Map(published.flat().map((item) => [item, item.lastElementChild.textContent]));

    const set = (item, text, isChosen, isHidden) => {
      item.firstElementChild.ariaPressed = isChosen;
      item.lastElementChild.textContent = text;
      item.hidden = isHidden;
    };
    const show = (tally, chosen) => {
      sections.forEach((section, place) => {
        const left = tally.get(section.dataset.facet);
        const wanted = new Set(chosen.get(section.dataset.facet));
        const list = section.querySelector("ul");
        for (const item of [...list.children]) {
          const { value } = item.firstElementChild.dataset;
          const sum = left?.get(value) ?? 0;
          const isChosen = wanted.delete(value);
          if (isChosen || counts.has(item)) set(item, number(sum), isChosen, !sum && !isChosen);
          else {
            if (item.contains(document.activeElement)) document.getElementById("search").focus();
            item.remove();
          }
        }
        // A chosen value that is not among the most used is shown as long as it is chosen.
        for (const value of wanted) {
          const item = published[place][0].cloneNode(true);
          const button = item.firstElementChild;
          button.dataset.value = button.textContent = value;
          set(item, number(left?.get(value) ?? 0), true, false);
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
