// Compares up to four skills side by side. The address of the page names them.
(() => {
  "use strict";
  const { base, load, element, number, encoded, compared, show, select, selected } = skillbuild.choose;
  const MOST = 4;
  const told = document.getElementById("compared");
  const place = document.getElementById("table");

  const pageOf = ({ path }) => new URL(`skills/${encoded(path)}/index.html`, base);
  const none = (text) => element("span", "n", text);
  const pictures = (icons) =>
    icons.map(([address, theme]) => {
      const image = element("img", `icon on-${theme}`);
      image.alt = "";
      image.width = image.height = 28;
      image.src = new URL(address, base);
      return image;
    });
  const advised = Number(place.dataset.advised);
  // Values that all skills share are pale, so that the differences stand out.
  const chips = (own, all, empty, { loud }) => {
    if (!own?.length) return [none(own ? empty : "not declared")];
    const items = own.map((piece) => element("li", all.every((others) => others?.includes(piece)) ? "shared" : "", element("code", loud.includes(piece) ? "mark" : "", piece)));
    return [element("ul", "chips", ...items)];
  };
  const words = (own, all, empty) => [own || none(empty)];
  const isSame = (all) => all.every((other) => String(other) === String(all[0]));
  const tokens = (value) => [`≈ ${number(value)} tokens`];
  // Shows the same bar as the page of the skill.
  const used = (value) => {
    const bar = element("progress", value > advised ? "mark" : "");
    bar.max = advised;
    bar.value = value;
    bar.ariaLabel = "Share of the recommended tokens";
    return [`≈ ${number(value)} tokens, recommended: at most ${number(advised)}`, bar];
  };
  const count = (value) => [number(value)];
  const answer = ({ does }, title) => does.find(([, other]) => other === title);
  // Returns a row for each kind of fact that at least one of the skills has.
  const facts = (skills) => {
    const every = skills.flatMap(({ does }) => does).sort((one, other) => other[3] - one[3] || one[0] - other[0]);
    const titles = new Set(every.map(([, title]) => title));
    return [...titles].map((title) => [
      title,
      (skill) => answer(skill, title)?.[2],
      (own, all, empty, skill) => {
        if (!own) return [none("\u2013"), element("span", "unseen", "not found")];
        const [, , , isLoud, place] = answer(skill, title);
        const link = element("a", "", own);
        link.href = new URL(place, pageOf(skill));
        return [isLoud ? element("span", "mark", link) : link];
      },
    ]);
  };
  // Returns the parts of the table with their rows. A row has a title, a function that gets the value
  // from a skill, a function that draws the value, and the text for a missing value.
  const parts = (skills) => [["", [
    ["Deprecated", ({ deprecated }) => deprecated, words, "no"],
    ["Description", ({ description }) => description.replace(/\*\*|`/g, ""), (own) => [element("p", "say", own)]],
    ["License", ({ license }) => license, words],
  ]], ["Before you install", [
    ...facts(skills),
    ["Tools", ({ tools }) => tools, chips, "none"],
  ]], ["Size and versions", [
    ["Context, always", ({ listing }) => listing, tokens],
    ["Context, when used", ({ body }) => body, used],
    ["Context, all text files", ({ all }) => all, tokens],
    ["Files", ({ files }) => files, count],
    ["Version", ({ version }) => version, words, "not declared"],
    ["Published versions", ({ versions }) => versions, count],
    ["Updated", ({ date }) => date, words, "not known"],
  ]]];
  const OPTIONAL = ["Deprecated", "Published versions", "Updated"];

  const draw = (skills) => {
    const head = element("tr", "", element("td", ""));
    for (const skill of skills) {
      const { path, title, group, picture } = skill;
      const act = (words, href) => {
        const link = element("a", "button", words);
        link.href = href;
        link.ariaLabel = `${words} ${title}`;
        return link;
      };
      const link = element("a", "", title);
      link.href = pageOf(skill);
      const others = skills.map((each) => each.path).filter((other) => other !== path);
      const acts = element("span", "acts", act("Install", `${link.href}#install`), others[0] ? act("Remove", compared(others)) : "");
      const cell = element("th", "", ...pictures(picture), link, element("span", "n", group === title ? "" : group), acts);
      cell.scope = "col";
      head.append(cell);
    }
    // In the list, every other skill has a link that compares it with the selected ones.
    const more = element("a", "button", "Add a skill");
    more.href = new URL("index.html", base);
    more.addEventListener("click", () => select(skills));
    const table = element("table", "compare", element("thead", "", head));
    const add = (body, name) => {
      const title = element("th", "", name);
      title.colSpan = skills.length + 1;
      title.scope = "rowgroup";
      if (!body.firstChild) return;
      if (name) body.prepend(element("tr", "", title));
      table.append(body);
    };
    const same = element("tbody", "same");
    for (const [part, rows] of parts(skills)) {
      const body = element("tbody", "");
      for (const [name, value, show, empty] of rows) {
        const all = skills.map(value);
        if (OPTIONAL.includes(name) && !all.some(Boolean)) continue;
        const title = element("th", "", name);
        title.scope = "row";
        const cells = all.map((own, at) => element("td", "", ...show(own, all, empty, skills[at])));
        (skills[1] && isSame(all) ? same : body).append(element("tr", "", title, ...cells));
      }
      add(body, part);
    }
    add(same, `The same in ${skills[2] ? "all" : "both"}`);
    place.replaceChildren(table);
    place.closest("[hidden]").hidden = false;
    const acts = element("span", "acts", skills[MOST - 1] ? "" : more, place.previousElementSibling);
    told.replaceChildren(`${skills.length} skill${skills[1] ? "s side by side" : ""}`, acts);
    show();
  };

  const start = async () => {
    const paths = [...new Set(new URLSearchParams(location.search).getAll("s"))].slice(0, MOST);
    const wanted = paths.length ? paths : selected().slice(0, MOST);
    // Puts the skills into the address, so that it can be shared.
    if (!paths.length && wanted.length) history.replaceState(null, "", compared(wanted));
    const loaded = await Promise.all(wanted.map((path) => load(path).catch(() => null)));
    const skills = loaded.filter(Boolean);
    if (skills.length) draw(skills);
    else if (wanted.length) told.prepend("This catalog has none of these skills. ");
  };
  start();
})();
