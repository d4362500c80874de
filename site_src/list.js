// The way into search and filters; what they need is loaded when somebody wants it.
(() => {
  "use strict";
  const listing = document.getElementById("listing");
  if (!listing) return;
  let search = null;

  const load = (file) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = document.body.dataset.root + file;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`cannot load ${file}`));
      document.head.append(script);
    });
  const start = () => {
    if (!search) {
      const rows = [];
      window.skillbuildRows = (number, part) => (rows[number] = part);
      search = Promise.all(listing.dataset.search.split(" ").map(load))
        .then(() => window.skillbuildSearch(rows.flat()))
        .catch((error) => {
          document.getElementById("count").textContent = `Search is not available: ${error.message}`;
        });
    }
    return search;
  };

  for (const old of listing.querySelectorAll("[data-value]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = old.textContent;
    button.dataset.value = old.dataset.value;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", async () => (await start())?.toggle(button));
    old.replaceWith(button);
  }
  // On a narrow screen the filters stand below the list, and are fetched above it on demand.
  const way = listing.querySelector(".to-filters");
  if (way) {
    const filters = document.getElementById("filters");
    const open = document.createElement("button");
    open.type = "button";
    open.className = way.className;
    open.textContent = way.textContent;
    open.setAttribute("aria-expanded", "false");
    open.addEventListener("click", () => {
      listing.querySelector(".results").before(filters);
      open.setAttribute("aria-expanded", filters.classList.toggle("open"));
    });
    way.replaceWith(open);
  }
  const input = document.getElementById("search");
  input.addEventListener("focus", start, { once: true });
  if (location.search || input.value || document.activeElement === input) start();
})();
