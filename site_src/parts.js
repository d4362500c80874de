// The tabs of a skill's page.
(() => {
  "use strict";
  const named = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
  const tabs = [...document.querySelectorAll(".tabs a")];
  // The table of contents belongs to the first tab.
  const toc = document.querySelector(".toc");
  const show = () => {
    const target = named(location.hash);
    // If the target is outside the tabs, the current tab stays.
    const part = target ? target.closest(".tab") : named(tabs[0].hash);
    if (!part) return;
    for (const tab of tabs) {
      const isShown = named(tab.hash) === part;
      named(tab.hash).classList.toggle("on", isShown);
      if (isShown) tab.ariaCurrent = "true";
      else tab.removeAttribute("aria-current");
    }
    if (toc) toc.hidden = part !== named(tabs[0].hash);
    if (target && target !== part) target.scrollIntoView();
  };
  for (const tab of tabs) {
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      if (tab.hash !== location.hash) history.pushState(null, "", tab.hash);
      show();
      // On a phone, the content of the tab may be outside the screen.
      const part = named(tab.hash);
      if (part.getBoundingClientRect().top > innerHeight * 0.7) part.scrollIntoView();
    });
  }
  for (const kind of ["hashchange", "popstate"]) addEventListener(kind, show);
  show();
})();
