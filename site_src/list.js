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
  const input = document.getElementById("search");
  input.addEventListener("focus", start, { once: true });
  if (location.search || input.value || document.activeElement === input) start();
})();
