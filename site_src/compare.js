// Two to four skills side by side; the address names them.
(() => {
  "use strict";
  const { base, load, element, number, encoded, compared, show, selected } = skillbuild.choose;
  const MOST = 4;
  const told = document.getElementById("compared");
  const place = document.getElementById("table");

  const none = (text) => element("span", "n", text);
  const tokens = (value) => `≈ ${number(value)} tokens`;
  // What all of the skills have is pale, so what one alone has is seen.
  const list = (look, tag) => (own, all, empty) => {
    if (!own?.length) return [none(own ? empty : "not declared")];
    const items = own.map((piece) => {
      const isShared = all.every((others) => others?.includes(piece));
      const isLoud = !tag && piece[0] === "!";
      return element("li", isLoud ? "mark" : isShared ? "shared" : "", tag ? element(tag, "", piece) : piece.slice(isLoud));
    });
    return [element("ul", look, ...items)];
  };
  const [chips, lines] = [list("chips", "code"), list("finds", "")];
  const words = (own, all, empty) => [own || none(empty)];
  const isSame = (all) => all.every((other) => String(other) === String(all[0]));
  const amount = (say) => (own, all) => {
    if (isSame(all)) return [say(own)];
    const bar = element("progress", "");
    bar.max = Math.max(...all, 1);
    bar.value = own;
    bar.ariaLabel = "Share of the largest";
    return [say(own), bar];
  };
  // What a row shows: its title, the value of a skill, how that is drawn, and what is said of none.
  const ROWS = [
    ["Deprecated", ({ deprecated }) => deprecated, words, "no"],
    ["Description", ({ description }) => description.replace(/\*\*|`/g, ""), (own) => [element("p", "", own)]],
    ["License", ({ license }) => license, words],
    ["Before you install", ({ does }) => does, lines],
    ["Tools", ({ tools }) => tools, chips, "declared as none"],
    ["Hosts", ({ hosts }) => hosts, chips, "none found"],
    ["Always", ({ listing }) => listing, amount(tokens)],
    ["When used", ({ body }) => body, amount(tokens)],
    ["All text files", ({ all }) => all, amount(tokens)],
    ["Files", ({ files }) => files, amount(number)],
    ["Version", ({ version }) => version, words, "not declared"],
    ["Published versions", ({ versions }) => versions, amount(number)],
    ["Changed", ({ date }) => date, words, "not known"],
  ];
  const OPTIONAL = ["Deprecated", "Published versions", "Changed"];

  const draw = (skills) => {
    const head = element("tr", "", element("td", ""));
    for (const { path, title, group } of skills) {
      const link = element("a", "", title);
      link.href = new URL(`skills/${encoded(path)}/index.html`, base);
      const place = element("span", "n", group === title ? "" : `${group} `);
      if (skills.length > 2) {
        const others = element("a", "", "Remove");
        others.href = compared(skills.map((skill) => skill.path).filter((other) => other !== path));
        others.ariaLabel = `Remove ${title}`;
        place.append(others);
      }
      const cell = element("th", "", link, place);
      cell.scope = "col";
      head.append(cell);
    }
    const [different, same] = [element("tbody", ""), element("tbody", "same")];
    for (const [name, value, show, empty] of ROWS) {
      const all = skills.map(value);
      if (OPTIONAL.includes(name) && !all.some(Boolean)) continue;
      const title = element("th", "", name);
      title.scope = "row";
      const cells = all.map((own) => element("td", "", ...show(own, all, empty)));
      (isSame(all) ? same : different).append(element("tr", "", title, ...cells));
    }
    if (same.children.length) {
      const title = element("th", "", `The same in ${skills.length > 2 ? `all ${skills.length}` : "both"}`);
      title.colSpan = skills.length + 1;
      title.scope = "rowgroup";
      same.prepend(element("tr", "", title));
    }
    place.replaceChildren(element("table", "compare", element("thead", "", head), different, same));
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
