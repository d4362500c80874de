// The search of the documentation: the engine of catalogs over the sections of its pages.
(() => {
  "use strict";
  const MOST = 20;
  // Characters that are shown of a section.
  const LONGEST = 160;
  const box = document.querySelector(".docs-find");
  const input = document.getElementById("search");
  const [found, body, count] = ["docs-found", "docs-body", "docs-count"].map((id) => document.getElementById(id));
  const contents = document.querySelector(".docs-toc");
  const { load } = skillbuild;

  // A wide screen shows all pages, so the list is open for who reads by other means.
  if (matchMedia("(min-width: 60rem)").matches) document.querySelector(".docs-pages details").open = true;

  let index = null;
  const open = () => {
    index ??= load(box.dataset.search).then(() => skillbuild.openIndex((name) => load(`search/${name}`)));
    index.catch(() => (index = null));
    return index;
  };

  const element = (tag, ...parts) => {
    const made = document.createElement(tag);
    made.append(...parts);
    return made;
  };
  // A text with its matches marked.
  const marked = (text, marks) => {
    const ends = skillbuild.spans(text, marks).flat();
    return [0, ...ends].map((start, i) => {
      const part = text.slice(start, ends[i]);
      return i % 2 ? element("mark", part) : part;
    });
  };
  // The same for a line with code between backticks, of which a part is shown.
  const formatted = (line, marks) => {
    const part = skillbuild.cut(line, marks, LONGEST);
    const before = line.slice(0, line.indexOf(part.replace(/^…|…$/g, "")));
    const isInside = before.split("`").length % 2 === 0;
    return part.split("`").flatMap((piece, i) => {
      const shown = marked(piece, marks);
      return (i % 2 === 1) !== isInside ? element("code", ...shown) : shown;
    });
  };
  // The prose of a section is its first line; rows of tables and, after a tab, lines of code follow.
  const rank = ({ title, description }, has) => [title, description.split("\n", 1)[0]].findIndex(has) >>> 0;
  const item = ({ path, title, description }, marks, has) => {
    const link = element("a", ...marked(title, marks));
    link.href = path;
    const lines = description.split("\n");
    const line = lines.find(has) ?? lines[0];
    const isCode = line.startsWith("\t");
    const part = isCode ? [element("code", ...marked(skillbuild.cut(line.trim(), marks, LONGEST), marks))] : formatted(line, marks);
    return element("li", link, element("p", ...part));
  };
  // By page: first what a heading or the prose says, then what only tables and code have.
  const grouped = (rows, marks) => {
    const has = (text) => skillbuild.spans(text, marks).length > 0;
    const pages = new Map();
    for (const row of rows.toSorted((one, other) => rank(one, has) - rank(other, has))) {
      if (!pages.has(row.license)) pages.set(row.license, []);
      pages.get(row.license).push(item(row, marks, has));
    }
    return [...pages].flatMap(([title, items]) => {
      const link = element("a", title);
      link.href = items[0].firstChild.pathname.split("/").at(-1);
      return [element("h2", link), element("ol", ...items)];
    });
  };

  let ticket = 0;
  const answer = async () => {
    const mine = ++ticket;
    const text = input.value.trim();
    const engine = await open();
    const result = text ? await engine.find(text) : null;
    const numbers = result ? [...result.matches, ...result.also].slice(0, MOST) : [];
    const rows = await engine.rows(numbers);
    if (mine !== ticket) return;
    found.replaceChildren(...grouped(rows, result?.marks));
    found.hidden = !text;
    body.hidden = Boolean(text);
    body.nextElementSibling.hidden = Boolean(text);
    if (contents) contents.hidden = Boolean(text);
    const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    const pages = new Set(rows.map((row) => row.license)).size;
    count.textContent = text && (pages ? `${plural(rows.length, "section")} on ${plural(pages, "page")}` : "Nothing found");
  };

  input.addEventListener("focus", open);
  input.addEventListener("input", answer);
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") found.querySelector("li a")?.click();
    if (key === "Escape") {
      input.value = "";
      answer();
    }
  });
  // A result on this very page leads to a place below it, so the text comes back.
  found.addEventListener("click", ({ target }) => {
    if (!target.closest("a")) return;
    input.value = "";
    answer();
  });
  if (input.value) answer();
})();
