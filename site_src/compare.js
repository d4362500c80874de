// Two to four skills side by side; the address names them.
(() => {
  "use strict";
  const { base, load, element, number, encoded, compared, show, selected } = skillbuild.choose;
  const MOST = 4;
  const told = document.getElementById("compared");
  const place = document.getElementById("table");

  const none = (text) => element("span", "n", text);
  const tokens = (value) => `≈ ${number(value)}`;
  const chips = (values, empty) => {
    if (!values.length) return none(empty);
    const list = element("ul", "chips");
    list.append(...values.map((value) => element("li", "", element("code", "", value))));
    return list;
  };
  const tools = ({ tools }) => (tools ? chips(tools, "declared as none") : none("not declared"));
  const LINES = [
    ["Description", ({ description }) => description],
    ["Always", ({ listing }) => `${tokens(listing)} tokens`],
    ["When used", ({ body }) => `${tokens(body)} tokens`],
    ["All text files", ({ all }) => `${tokens(all)} tokens`],
    ["Tools", tools],
    ["Signals", ({ signals }) => signals.join(", ") || none("none")],
    ["Before you install", ({ facts }) => facts],
    ["Hosts", ({ hosts }) => chips(hosts, "none found")],
    ["Files", ({ files }) => number(files)],
    ["License", ({ license }) => license],
    ["Version", ({ version }) => version || none("not declared")],
    ["Published versions", ({ versions }) => String(versions)],
    ["Changed", ({ date }) => date || none("not known")],
  ];
  const OPTIONAL = { "Published versions": ({ versions }) => versions, Changed: ({ date }) => date };

  const draw = (skills) => {
    const head = element("tr", "", element("td", ""));
    for (const { path, title, group } of skills) {
      const link = element("a", "", title);
      link.href = new URL(`skills/${encoded(path)}/index.html`, base);
      const pick = element("button", "pick");
      pick.type = "button";
      pick.dataset.path = path;
      pick.ariaLabel = `Select ${path}`;
      const cell = element("th", "", link, element("span", "n", group), pick);
      cell.scope = "col";
      head.append(cell);
    }
    const shown = LINES.filter(([name]) => !OPTIONAL[name] || skills.some(OPTIONAL[name]));
    const lines = shown.map(([name, fill]) => {
      const title = element("th", "", name);
      title.scope = "row";
      const cells = skills.map((skill) => element("td", "", fill(skill)));
      const differs = cells.some(({ textContent }) => textContent !== cells[0].textContent);
      return element("tr", differs ? "differs" : "", title, ...cells);
    });
    place.replaceChildren(element("table", "compare", element("thead", "", head), element("tbody", "", ...lines)));
    place.closest("[hidden]").hidden = false;
    told.replaceChildren(`${skills.length} skills side by side `, place.previousElementSibling);
    show();
  };

  const start = async () => {
    const paths = [...new Set(new URLSearchParams(location.search).getAll("s"))].slice(0, MOST);
    const wanted = paths.length ? paths : selected().slice(0, MOST);
    // Whoever gets the address sees the same.
    if (!paths.length && wanted.length) history.replaceState(null, "", compared(wanted));
    const loaded = await Promise.all(wanted.map((path) => load(path).catch(() => null)));
    const skills = loaded.filter(Boolean);
    if (skills.length > 1) draw(skills);
    else if (wanted.length) told.prepend("Fewer than two of these skills are in this catalog. ");
  };
  start();
})();
