// Search and filters of the list, once `list.js` has loaded every row.
window.skillbuildSearch = async (rows) => {
  "use strict";
  const { root } = document.body.dataset;
  const input = document.getElementById("search");
  const cards = document.getElementById("cards");
  const pager = document.getElementById("pager");
  const count = document.getElementById("count");
  const facets = [...document.querySelectorAll("[data-facet]")];
  const plain = { cards: [...cards.childNodes], pager: [...pager.childNodes], count: count.textContent };
  const STEP = 100;
  const COLUMNS = { tags: 2, licences: 3, groups: 4, contents: 5 };
  const state = { q: "", shown: STEP, chosen: {} };

  // Rows: path, description, tags, licence, group, contents, files, tokens, signals (loud ones with a `!`),
  // icon, words, and the title if the path does not end in it.
  const name = (row) => row[11] || row[0].slice(row[0].lastIndexOf("/") + 1);
  const values = (row, facet) => {
    const found = row[COLUMNS[facet]];
    if (facet === "tags" && !found.length) return ["not declared"];
    return [found].flat().filter(Boolean);
  };
  const FIELDS = {
    name,
    path: (row) => row[4],
    tags: (row) => row[2].join(" "),
    description: (row) => `${row[1]} ${row[10]}`,
  };
  const index = new MiniSearch({
    fields: Object.keys(FIELDS),
    extractField: (row, field) => (field === "id" ? row : FIELDS[field](row)),
    searchOptions: {
      boost: { name: 5, tags: 3, path: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 7 ? 2 : term.length > 3 ? 1 : 0),
      combineWith: "AND",
    },
  });
  // A large catalog takes seconds, in which the page must go on to answer.
  const SLICE = 1000;
  for (let start = 0; start < rows.length; start += SLICE) {
    index.addAll(rows.slice(start, start + SLICE));
    if (start + SLICE < rows.length) {
      count.textContent = `Reading ${rows.length.toLocaleString("en")} skills\u2026`;
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  count.textContent = plain.count;

  const matches = () => {
    const query = state.q.trim();
    if (!query) return rows;
    let found = index.search(query);
    // Two letters that changed places are two slips, which the first search allows long words only.
    if (!found.length) found = index.search(query, { combineWith: "OR", fuzzy: (term) => (term.length > 4 ? 2 : 1) });
    return found.map((hit) => hit.id);
  };
  const passes = (row, except) =>
    Object.entries(state.chosen).every(
      ([facet, wanted]) => facet === except || wanted.every((value) => values(row, facet).includes(value)),
    );
  const active = () => state.q.trim() !== "" || Object.keys(state.chosen).length > 0;

  const el = (tag, attributes, ...children) => {
    const drawn = tag === "svg" || tag === "path";
    const made = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const press = (text, attributes, act) => {
    const made = el("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", act);
    return made;
  };
  const icon = (code) => {
    if (code.includes(":")) {
      return code.split("|").map((part) => {
        const [file, theme] = part.split(":");
        const look = theme ? `icon on-${theme}` : "icon";
        return el("img", { class: look, src: `${root}icons/${file}`, alt: "", width: 36, height: 36, loading: "lazy" });
      });
    }
    const cells = parseInt(code.slice(6), 16);
    let d = "";
    for (let cell = 0; cell < 25; cell++) {
      if (cells & (1 << cell)) d += `M${(cell % 5) + 1} ${Math.floor(cell / 5) + 1}h1v1h-1z`;
    }
    const look = { class: "icon", viewBox: "0 0 7 7", width: 36, height: 36, fill: `#${code.slice(0, 6)}`, "aria-hidden": "true" };
    return [el("svg", look, el("path", { d }))];
  };
  const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const card = (row) => {
    const address = `${root}skills/${row[0].split("/").map(encodeURIComponent).join("/")}/index.html`;
    const title = el("h2", null, el("a", { href: address }, name(row)));
    if (row[4] && row[4] !== name(row)) title.append(" ", el("span", { class: "path" }, row[4]));
    const meta = el("p", { class: "meta" });
    const licence = /^[a-z]/.test(row[3]) ? `licence: ${row[3]}` : row[3];
    for (const word of [licence, plural(row[6], "file"), `≈ ${row[7].toLocaleString("en")} tokens`]) {
      meta.append(el("span", null, word));
    }
    for (const word of row[8]) meta.append(el("span", word[0] === "!" ? { class: "mark" } : null, word.replace("!", "")));
    const say = el("p", { class: "say", dir: "auto" }, row[1]);
    return el("li", { class: "card" }, ...icon(row[9]), el("div", null, title, say, meta));
  };

  const toggle = (facet, value) => {
    const wanted = state.chosen[facet] || [];
    const rest = wanted.filter((other) => other !== value);
    state.chosen[facet] = rest.length < wanted.length ? rest : [...wanted, value];
    if (!state.chosen[facet].length) delete state.chosen[facet];
    state.shown = STEP;
    update();
  };
  const showFacets = (found) => {
    for (const section of facets) {
      const key = section.dataset.facet;
      const counts = new Map();
      for (const row of found) {
        if (passes(row, key)) for (const value of values(row, key)) counts.set(value, (counts.get(value) || 0) + 1);
      }
      for (const button of section.querySelectorAll("button")) {
        const number = counts.get(button.dataset.value) || 0;
        button.setAttribute("aria-pressed", String((state.chosen[key] || []).includes(button.dataset.value)));
        button.nextElementSibling.textContent = number.toLocaleString("en");
        button.parentNode.className = number ? "" : "none";
      }
    }
  };

  const bar = el("div", { class: "active" });
  count.after(bar);
  const showChosen = () => {
    bar.replaceChildren();
    for (const [facet, wanted] of Object.entries(state.chosen)) {
      for (const value of wanted) {
        const remove = () => {
          toggle(facet, value);
          input.focus();
        };
        bar.append(press(`${value} ×`, { "aria-label": `Remove the filter ${value}` }, remove));
      }
    }
  };

  const remember = () => {
    const query = new URLSearchParams();
    if (state.q.trim()) query.set("q", state.q.trim());
    for (const [facet, wanted] of Object.entries(state.chosen)) for (const value of wanted) query.append(facet, value);
    const text = query.toString();
    try {
      history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
    } catch {
      // Some browsers keep the address of a local file as it is.
    }
  };
  const recall = () => {
    const query = new URLSearchParams(location.search);
    state.q = input.value = query.get("q") || "";
    state.chosen = {};
    for (const facet of Object.keys(COLUMNS)) if (query.has(facet)) state.chosen[facet] = query.getAll(facet);
  };

  const draw = () => {
    showChosen();
    const all = matches();
    showFacets(all);
    if (!active()) {
      cards.replaceChildren(...plain.cards);
      pager.replaceChildren(...plain.pager);
      count.textContent = plain.count;
      return;
    }
    const found = all.filter((row) => passes(row));
    cards.replaceChildren(...found.slice(0, state.shown).map(card));
    count.textContent = `${found.length.toLocaleString("en")} of ${plural(rows.length, "skill")}`;
    pager.replaceChildren();
    if (!found.length) {
      pager.append(el("p", null, "No skill matches."), press("Clear search and filters", { class: "more" }, clear));
    }
    if (found.length > state.shown) {
      const more = () => {
        const from = state.shown;
        state.shown += STEP;
        draw();
        cards.children[from].querySelector("a").focus();
      };
      pager.append(press(`Show ${Math.min(STEP, found.length - state.shown)} more`, { class: "more" }, more));
    }
  };
  const update = () => {
    remember();
    draw();
  };

  const clear = () => {
    input.value = state.q = "";
    state.chosen = {};
    update();
    input.focus();
  };
  let timer = 0;
  input.addEventListener("input", () => {
    state.q = input.value;
    state.shown = STEP;
    clearTimeout(timer);
    timer = setTimeout(update, 60);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = state.q = "";
    update();
  });
  addEventListener("popstate", () => {
    recall();
    draw();
  });
  const typed = input.value;
  recall();
  if (typed) state.q = input.value = typed;
  if (active()) update();
  return { toggle: (button) => toggle(button.closest("[data-facet]").dataset.facet, button.dataset.value) };
};
