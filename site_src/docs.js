// The search of the documentation. It uses the search engine of catalogs on the sections of the pages.
(() => {
  "use strict";
  const MOST = 20;
  // The number of characters that are shown for each section.
  const LONGEST = 160;
  const box = document.querySelector(".docs-find");
  const input = document.getElementById("search");
  const [found, body, count] = ["docs-found", "docs-body", "docs-count"].map((id) => document.getElementById(id));
  const contents = document.querySelector(".docs-toc");
  const { load } = skillbuild;

  // A wide screen shows the list of pages even if it is closed. Screen readers read it only if it is open.
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
  // Marks the matches in a text.
  const marked = (text, marks) => {
    const ends = skillbuild.spans(text, marks).flat();
    return [0, ...ends].map((start, i) => {
      const part = text.slice(start, ends[i]);
      return i % 2 ? element("mark", part) : part;
    });
  };
  // Shortens a line that may have code between backticks, and marks the matches.
  const formatted = (line, marks) => {
    const part = skillbuild.cut(line, marks, LONGEST);
    const before = line.slice(0, line.indexOf(part.replace(/^…|…$/g, "")));
    const isInside = before.split("`").length % 2 === 0;
    return part.split("`").flatMap((piece, i) => {
      const shown = marked(piece, marks);
      return (i % 2 === 1) !== isInside ? element("code", ...shown) : shown;
    });
  };
  // The first line of a description is the prose of the section. Table rows follow, and then lines of
  // code, which start with a tab.
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
  // Groups the results by page. Matches in headings come first, then those in prose, then all others.
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
  // The result may be on this page, so show its text again.
  found.addEventListener("click", ({ target }) => {
    if (!target.closest("a")) return;
    input.value = "";
    answer();
  });
  if (input.value) answer();
})();
