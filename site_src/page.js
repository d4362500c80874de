// Features of most pages: the theme, copy buttons, the address in commands, and the search shortcut.
(() => {
  "use strict";
  const root = document.documentElement;
  const base = new URL(document.body.dataset.root || "./", location.href);

  const search = document.getElementById("search");

  const buttons = document.querySelectorAll("[data-theme-choice]");
  const showTheme = () => {
    const chosen = root.dataset.theme || "auto";
    for (const button of buttons) button.ariaPressed = button.dataset.themeChoice === chosen;
  };
  const chooseTheme = (choice) => {
    if (choice === "auto") delete root.dataset.theme;
    else root.dataset.theme = choice;
    showTheme();
    // With storage, the choice applies to other pages too.
    try {
      localStorage.setItem("skillbuild-theme", root.dataset.theme ?? "");
    } catch {}
  };
  for (const button of buttons) {
    button.addEventListener("click", () => chooseTheme(button.dataset.themeChoice));
  }
  showTheme();

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  const offerCopy = (button, text) => {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      button.textContent = (await copy(await text())) ? "Copied" : "Press Ctrl+C";
      setTimeout(() => (button.textContent = label), 1500);
    });
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    const from = button.dataset.copyFrom;
    offerCopy(button, async () => (from ? (await fetch(from)).text() : button.dataset.copy || location.href));
    button.hidden = from && base.protocol === "file:";
  }
  for (const block of document.querySelectorAll("pre:not(.numbered, td *), .line code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.ariaLabel = "Copy the code";
    offerCopy(button, () => block.textContent);
    if (block.matches("pre")) {
      const box = document.createElement("div");
      box.className = "copied";
      block.replaceWith(box);
      box.append(block);
    }
    block.after(button);
  }

  // If no base URL is configured, commands use the address from which the page was loaded.
  for (const place of document.querySelectorAll("[data-site]")) {
    if (base.protocol !== "file:") place.textContent = base.href;
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const control = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!slash && !control) return;
    event.preventDefault();
    if (!search) location.href = new URL("index.html#search", base);
    search?.focus();
    search?.select();
  });
  if (location.hash === "#search") search?.focus();
})();
