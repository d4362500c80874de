// The search of the documentation: the engine of catalogs over the sections of its pages.
(() => {
  "use strict";
  const MOST = 20;
  const box = document.querySelector(".docs-find");
  const input = document.getElementById("docs-search");
  const [found, body, count] = ["docs-found", "docs-body", "docs-count"].map((id) => document.getElementById(id));
  const { load } = skillbuild;

  let index = null;
  const open = () => {
    index ??= load(box.dataset.search).then(() => skillbuild.openIndex((name) => load(`search/${name}`)));
    index.catch(() => (index = null));
    return index;
  };

  const item = ({ path, title, description, license }) => {
    const line = document.createElement("li");
    const link = document.createElement("a");
    link.href = path;
    link.textContent = title;
    const where = document.createElement("span");
    where.textContent = license;
    const say = document.createElement("p");
    say.textContent = description;
    line.append(link, " ", where, say);
    return line;
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
    found.replaceChildren(...rows.map(item));
    found.hidden = !text;
    body.hidden = Boolean(text);
    const sections = rows.length === 1 ? "1 section" : `${rows.length} sections`;
    count.textContent = text ? (rows.length ? `${sections} found` : "Nothing found") : "";
    count.classList.toggle("unseen", !text || rows.length > 0);
  };

  input.addEventListener("focus", open);
  input.addEventListener("input", answer);
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") found.querySelector("a")?.click();
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
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });
  if (input.value) answer();
})();
