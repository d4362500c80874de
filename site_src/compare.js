// Two to four skills side by side; the address names them.
(() => {
  "use strict";
  const { base, load, element, number, encoded, compared, show, selected } = skillbuild.choose;
  const MOST = 4;
  const told = document.getElementById("compared");
  const place = document.getElementById("table");

  const none = (text) => element("span", "n", text);
  const advised = Number(place.dataset.advised);
  // What all of the skills have is pale, so what one alone has is seen.
  const chips = (own, all, empty) => {
    if (!own?.length) return [none(own ? empty : "not declared")];
    const items = own.map((piece) => element("li", all.every((others) => others?.includes(piece)) ? "shared" : "", element("code", "", piece)));
    return [element("ul", "chips", ...items)];
  };
  const words = (own, all, empty) => [own || none(empty)];
  const isSame = (all) => all.every((other) => String(other) === String(all[0]));
  const tokens = (value) => [`≈ ${number(value)} tokens`];
  // The same bar as on the page of the skill.
  const used = (value) => {
    const bar = element("progress", value > advised ? "mark" : "");
    bar.max = advised;
    bar.value = value;
    bar.ariaLabel = "Share of the advised tokens";
    return [`≈ ${number(value)} of ${number(advised)} tokens advised`, bar];
  };
  const count = (value) => [number(value)];
  // A row for each kind of fact that one of the skills has.
  const facts = (skills) => {
    const kinds = new Map(skills.flatMap(({ does }) => does).sort(([one], [other]) => one - other).map(([, title, , isLoud]) => [title, isLoud]));
    const loudFirst = [...kinds].sort(([, one], [, other]) => other - one);
    return loudFirst.map(([title, isLoud]) => [
      title,
      ({ does }) => does.find(([, other]) => other === title)?.[2] ?? "",
      (own) => [own ? element("span", isLoud ? "mark" : "", own) : none("—")],
    ]);
  };
  // What a row shows: its title, the value of a skill, how that is drawn, and what is said of none.
  const rows = (skills) => [
    ["Deprecated", ({ deprecated }) => deprecated, words, "no"],
    ["Description", ({ description }) => description.replace(/\*\*|`/g, ""), (own) => [element("p", "", own)]],
    ["License", ({ license }) => license, words],
    ...facts(skills),
    ["Tools", ({ tools }) => tools, chips, "declared as none"],
    ["Context, always", ({ listing }) => listing, tokens],
    ["Context, when used", ({ body }) => body, used],
    ["Context, all text files", ({ all }) => all, tokens],
    ["Files", ({ files }) => files, count],
    ["Version", ({ version }) => version, words, "not declared"],
    ["Published versions", ({ versions }) => versions, count],
    ["Updated", ({ date }) => date, words, "not known"],
  ];
  const OPTIONAL = ["Deprecated", "Published versions", "Updated"];

  const draw = (skills) => {
    const head = element("tr", "", element("td", ""));
    for (const { path, title, group } of skills) {
      const link = element("a", "", title);
      link.href = new URL(`skills/${encoded(path)}/index.html`, base);
      const install = element("a", "", "Install");
      install.href = `${link.href}#install`;
      install.ariaLabel = `Install ${title}`;
      const place = element("span", "n", group === title ? "" : `${group} `, install);
      if (skills.length > 2) {
        const others = element("a", "", "Remove");
        others.href = compared(skills.map((skill) => skill.path).filter((other) => other !== path));
        others.ariaLabel = `Remove ${title}`;
        place.append(" ", others);
      }
      const cell = element("th", "", link, place);
      cell.scope = "col";
      head.append(cell);
    }
    const [different, same] = [element("tbody", ""), element("tbody", "same")];
    for (const [name, value, show, empty] of rows(skills)) {
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
