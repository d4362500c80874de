// Loads the related skills from their own page into the page of the skill.
(() => {
  "use strict";
  const { base, element, show } = skillbuild.choose;
  // A page that is opened as a local file cannot read another page, so it keeps the link.
  const link = document.querySelector("#related > p a");
  const around = link?.parentNode;
  const fetchRelated = async () => {
    const answer = await fetch(link.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const kin = page.getElementById("near");
    if (!kin) return;
    for (const [name, tag] of [["href", "a"], ["src", "img"]]) {
      for (const each of kin.querySelectorAll(tag)) each.setAttribute(name, new URL(each.getAttribute(name), link.href));
    }
    for (const title of kin.querySelectorAll("h2")) title.replaceWith(element("h3", "", ...title.childNodes));
    around.before(document.adoptNode(kin));
    // Hide the link, unless it has the focus.
    around.hidden = link !== document.activeElement;
    show();
  };
  if (link && base.protocol !== "file:") {
    const watcher = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      fetchRelated().catch(() => {});
    }, { rootMargin: "600px" });
    watcher.observe(around);
  }
})();
