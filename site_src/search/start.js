// Starts the search and the filters, whose code is loaded when somebody uses them.
(() => {
  "use strict";
  const listing = document.getElementById("listing");
  if (!listing) return;
  const input = document.getElementById("search");

  skillbuild.fail = ({ message }) => {
    document.getElementById("count").textContent = `Search is not available: ${message}`;
  };
  const { load, cards } = skillbuild;
  const { press } = cards;
  let search = null;
  const start = () => {
    search ??= load(listing.dataset.search)
      .then(() => skillbuild.page((name) => load(`search/${name}`)))
      .catch((error) => {
        search = null;
        skillbuild.fail(error);
      });
    return search;
  };

  // Replaces the links of facet values with buttons.
  for (const link of listing.querySelectorAll("[data-value]")) {
    const button = press(link.textContent, "");
    button.dataset.value = link.dataset.value;
    button.ariaPressed = false;
    link.replaceWith(button);
  }
  // A wide screen shows these details even if they are closed. Screen readers read them only if open.
  const face = listing.querySelector("details.face");
  if (face) face.open = matchMedia("(min-width: 60rem)").matches;
  const filters = document.getElementById("filters");
  filters?.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-value]");
    if (button) (await start())?.toggle(button.closest("[data-facet]").dataset.facet, button.dataset.value);
  });
  // On a narrow screen, the filters are below the list. A button moves them to the search.
  const way = listing.querySelector(".to-filters");
  if (way) {
    const open = press("", way.className, async () => {
      const isOpen = filters.classList.toggle("open");
      if (isOpen) open.after(filters);
      else listing.append(filters);
      open.ariaExpanded = isOpen;
      (await search)?.showFacets();
    });
    open.append(...way.childNodes);
    open.ariaExpanded = false;
    open.setAttribute("aria-controls", "filters");
    way.replaceWith(open);
  }
  document.getElementById("sort")?.addEventListener("change", async ({ target: { value } }) => (await start())?.sort(value));

  const roomy = document.getElementById("roomy");
  const root = document.documentElement;
  if (roomy) {
    roomy.ariaPressed = root.hasAttribute("data-list");
    roomy.addEventListener("click", () => {
      const isRoomy = root.toggleAttribute("data-list");
      roomy.ariaPressed = isRoomy;
      try {
        localStorage.setItem("skillbuild-list", isRoomy || "");
      } catch {
        // Without storage, the choice applies only to this page.
      }
    });
  }

  const keys = document.getElementById("keys");
  if (keys) {
    const show = () => keys.open || keys.showModal();
    listing.querySelector(".to-keys").addEventListener("click", show);
    keys.addEventListener("click", ({ target }) => {
      // The content fills the dialog, so the target of a click outside is the dialog itself.
      if (target === keys || target.closest("button")) keys.close();
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "?" || event.target.closest("input, select")) return;
      event.preventDefault();
      show();
    });
  }

  input.addEventListener("focus", start);
  if (location.search || input.value || document.activeElement === input) start();
})();
