// The page of a version says nothing of the skill, which changes: a file of the catalog does.
(() => {
  "use strict";
  const place = document.querySelector("[data-version]");
  const base = new URL(document.body.dataset.root, location.href);
  const to = (text, address) => {
    const link = document.createElement("a");
    link.textContent = text;
    link.href = new URL(address, base);
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
    const age = document.getElementById("age");
    age.textContent = later ? "older" : "current";
    age.hidden = false;
    age.className = later ? "mark" : "";
    if (!later) return place.replaceChildren("The current version of ", toSkill(), `, since ${day}.`);
    place.className = "notice";
    const steps = later > 1 ? `, ${later} versions later` : "";
    const said = [`An older version, of ${day}. The current version of `, toSkill(), ` is ${label}, of ${since}${steps}: ${words} `];
    place.replaceChildren(...said, ...(page ? [to("What changed", page)] : []));
  };
  start().catch(() => {});
})();
