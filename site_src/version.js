// Adds links to the skill and its current version to the page of a version. The page itself never
// changes, so this information comes from a file of the catalog.
(() => {
  "use strict";
  const place = document.querySelector("[data-version]");
  const base = new URL(document.body.dataset.root, location.href);
  const element = (tag, ...parts) => {
    const made = document.createElement(tag);
    made.append(...parts);
    return made;
  };
  const to = (text, address) => {
    const link = element("a", text);
    link.href = new URL(address, base);
    return link;
  };
  const button = (text, address) => {
    const link = to(text, address);
    link.className = "button";
    return link;
  };
  const start = async () => {
    const { version } = place.dataset;
    const places = await skillbuild.load(`changes/versions/${version.slice(0, 2)}.js`);
    if (!places[version]) return;
    const [path, day, later, label, since, words, page] = places[version];
    const folder = `skills/${path.split("/").map(encodeURIComponent).join("/")}/`;
    const crumb = document.querySelector(".crumbs a:last-child");
    const [skill, all, related] = [crumb.textContent, "Versions", "Related"];
    const toSkill = () => to(skill, `${folder}index.html`);
    const toAll = () => to(all, `${folder}-/versions/index.html`);
    crumb.after(" / ", toAll());
    crumb.replaceWith(toSkill());
    document.querySelector(".tabs").append(toAll(), to(related, `${folder}-/related/index.html`));
    if (!later) {
      const updates = to("Install and get updates", `${folder}index.html`);
      return place.replaceChildren(element("p", `This is the current version, since ${day}. `, updates));
    }
    place.className = "notice";
    const steps = later > 1 ? `, ${later} versions later${words && ". Last change"}` : "";
    place.replaceChildren(
      element("p", element("strong", `Older version, from ${day}`)),
      element("p", `The current version is ${label}, from ${since}${steps}${words && ": "}${words}`),
      element("p", button("Current version", `${folder}index.html`), " ", ...(page ? [button("What changed", page)] : [])),
    );
  };
  start().catch(() => {});
})();
