// What every page can do: theme, copy, line addresses, and the way to the search.
(() => {
  "use strict";
  const root = document.documentElement;
  const base = new URL(document.body.dataset.root || "./", location.href);

  const buttons = document.querySelectorAll("[data-theme-choice]");
  const showTheme = () => {
    const chosen = root.dataset.theme || "auto";
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen));
    }
  };
  const chooseTheme = (choice) => {
    if (choice === "auto") delete root.dataset.theme;
    else root.dataset.theme = choice;
    try {
      if (choice === "auto") localStorage.removeItem("skillbuild-theme");
      else localStorage.setItem("skillbuild-theme", choice);
    } catch {
      // The choice holds for this page alone.
    }
    showTheme();
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
    offerCopy(button, () => button.dataset.copy);
  }
  for (const block of document.querySelectorAll("pre:not(.numbered, .plain, .diff), .line code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the code");
    offerCopy(button, () => block.textContent);
    if (block.matches("pre")) {
      const box = document.createElement("div");
      box.className = "copied";
      block.replaceWith(box);
      box.append(block);
    }
    block.after(button);
  }
  for (const button of document.querySelectorAll("[data-copy-from]")) {
    offerCopy(button, async () => (await fetch(button.dataset.copyFrom)).text());
    button.hidden = base.protocol === "file:";
  }
  for (const heading of document.querySelectorAll(".prose :is(h2, h3, h4, h5, h6)[id]")) {
    const anchor = document.createElement("a");
    anchor.className = "anchor";
    anchor.href = "#" + heading.id;
    anchor.textContent = "#";
    anchor.setAttribute("aria-label", "Link to " + heading.textContent);
    heading.append(" ", anchor);
  }

  // The client that was last looked at stays open on the pages that follow.
  const clients = [...document.querySelectorAll("[data-client]")];
  const remembered = (() => {
    try {
      return localStorage.getItem("skillbuild-client");
    } catch {
      return null;
    }
  })();
  const mine = clients.find((each) => each.dataset.client === remembered);
  if (mine) mine.open = true;
  for (const each of clients) {
    each.querySelector("summary").addEventListener("click", () => {
      if (each.open) return;
      try {
        localStorage.setItem("skillbuild-client", each.dataset.client);
      } catch {
        // The choice holds for this page alone.
      }
    });
  }

  // Without a configured address, commands name the one that the page was loaded from.
  for (const place of document.querySelectorAll("[data-site]")) {
    if (base.protocol !== "file:") place.textContent = base.href;
  }

  for (const source of document.querySelectorAll(".numbered")) {
    source.addEventListener("click", (event) => {
      const line = event.target.closest("a[id]");
      // Only the number is a handle: selecting code must not move the page.
      const start = line && line.getBoundingClientRect().left;
      if (line && event.clientX - start < 52) location.hash = line.id;
    });
  }
  for (const input of document.querySelectorAll(".line-of input")) {
    input.addEventListener("change", () => {
      if (input.validity.valid && input.value) location.hash = "L" + Number(input.value);
    });
  }
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target && target.closest("details:not([open])");
    if (closed) {
      closed.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const slash = event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    const control = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!slash && !control) return;
    event.preventDefault();
    const search = document.getElementById("search");
    if (search) {
      search.focus();
      search.select();
    } else {
      location.href = new URL("index.html#search", base).href;
    }
  });
  if (location.hash === "#search") {
    const search = document.getElementById("search");
    if (search) search.focus();
  }
})();
