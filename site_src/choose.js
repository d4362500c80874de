// The skills that a reader has selected on any page: their total cost, and links to compare and install
// them.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const MOST = 20;
  const MOST_COMPARED = 4;
  const base = new URL(document.body.dataset.root || "./", location.href);
  const named = document.currentScript.dataset.site;
  const site = named || (base.protocol === "file:" ? "<this site>/" : base.href);
  const CLIENT = "skillbuild-client";
  const key = `skillbuild-selected ${base.pathname}`;

  // Pages opened as local files can load only scripts, so each row is a script that sets `skillbuild.row`.
  const rows = new WeakMap();
  Object.defineProperty(skillbuild, "row", { set: (value) => rows.set(document.currentScript, value) });
  const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");
  const load = (path) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(`skills/${encoded(path)}/-/compare.js`, base);
      script.onload = () => {
        resolve(rows.get(script));
        script.remove();
      };
      script.onerror = () => {
        reject(new Error(path));
        script.remove();
      };
      document.head.append(script);
    });

  const element = (tag, look, ...content) => {
    const made = document.createElement(tag);
    if (look) made.className = look;
    made.append(...content);
    return made;
  };
  const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

  // Pairs of a path and what the skill adds to every session, in the order of selection.
  let selected = [];
  const read = () => {
    try {
      const stored = JSON.parse(localStorage.getItem(key) ?? "[]");
      selected = stored.filter(([path, tokens]) => typeof path === "string" && tokens >= 0).slice(0, MOST);
    } catch {
      // Nothing is stored, or the stored value is not ours.
    }
  };
  const write = () => {
    try {
      if (selected.length) localStorage.setItem(key, JSON.stringify(selected));
      else localStorage.removeItem(key);
    } catch {
      // Without storage, the selection applies only to this page.
    }
  };
  const has = (path) => selected.some(([other]) => other === path);

  const titleOf = (button) => button.closest(".card")?.querySelector(":is(h2, h3) a");
  // Buttons on cards get the name and path from their card.
  const pathOf = (button) => {
    const link = titleOf(button);
    if (!link) return button.dataset.path;
    return decodeURIComponent(new URL(link.href).pathname.slice(base.pathname.length + 7).replace(/\/index\.html$/, ""));
  };
  // If any skills are selected, every other card has a link that compares it with them.
  const offer = (button, title) => {
    const [path, others] = [pathOf(button), selected.map(([other]) => other)];
    let link = button.parentNode.querySelector(".against");
    if (!others.length || others.length >= MOST_COMPARED || has(path)) return link?.remove();
    if (!link) button.before((link = element("a", "button against", "Compare")));
    link.ariaLabel = `Compare with ${title}`;
    link.href = compared([...others, path]);
  };
  const mark = () => {
    for (const button of document.querySelectorAll(".pick")) {
      const title = titleOf(button)?.textContent;
      const state = String(has(pathOf(button)));
      if (title && !button.title) button.ariaLabel = button.title = `Select ${title}`;
      if (button.ariaPressed !== state) button.ariaPressed = state;
      if (title) offer(button, title);
    }
  };

  const tray = document.querySelector(".tray");
  const [line, compare, install, clear, together] = tray.children;
  const [client, everywhere, command] = together.querySelectorAll("select, input, pre");
  const compared = (paths) => new URL(`compare/index.html?${new URLSearchParams(paths.map((path) => ["s", path]))}`, base);
  // Uses the client that was last chosen on any page.
  const showCommand = () => {
    try {
      client.value = localStorage.getItem(CLIENT) ?? client.value;
    } catch {}
    if (client.selectedIndex < 0) client.selectedIndex = 0;
    const flags = ["agent " + client.value, ...(everywhere.checked ? ["global"] : [])];
    const lines = selected.flatMap(([path], place) => [
      place ? " && \\\n" : "",
      `npx skills add ${site}skills/${encoded(path)}`,
      ...flags.flatMap((flag) => [" ", element("span", "num", "--" + flag)]),
    ]);
    command.replaceChildren(...lines);
  };
  const show = () => {
    mark();
    const count = selected.length;
    tray.hidden = !count;
    document.body.classList.toggle("has-tray", count > 0);
    const sum = selected.reduce((all, [, tokens]) => all + tokens, 0);
    const what = count === 1 ? "1 skill adds" : `${count} skills add`;
    const hint = count === 1 ? "select another to compare" : count > MOST_COMPARED ? `compare at most ${MOST_COMPARED}` : "";
    line.replaceChildren(element("strong", "", what), ` ≈ ${number(sum)} tokens to every session `, element("span", "n", hint));
    compare.href = compared(selected.map(([path]) => path));
    compare.hidden = Boolean(hint) || compare.href === location.href;
    install.hidden = selected.some(([, , npx]) => !npx);
    together.hidden ||= install.hidden;
    install.ariaExpanded = !together.hidden;
    showCommand();
  };
  const toggle = async (path) => {
    if (has(path)) selected = selected.filter(([other]) => other !== path);
    else if (selected.length < MOST) {
      const row = await load(path).catch(() => null);
      if (row && !has(path)) selected.push([path, row.listing, row.npx]);
    }
    write();
    show();
  };
  install.addEventListener("click", () => {
    together.hidden = !together.hidden;
    show();
  });
  together.addEventListener("change", () => {
    try {
      localStorage.setItem(CLIENT, client.value);
    } catch {}
    showCommand();
  });
  clear.addEventListener("click", () => {
    selected = [];
    together.hidden = true;
    write();
    show();
    document.querySelector(".pick")?.focus();
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest(".pick");
    if (button) toggle(pathOf(button));
  });
  for (const list of document.querySelectorAll("ul.cards")) {
    new MutationObserver(mark).observe(list, { childList: true });
  }
  addEventListener("storage", (event) => {
    if (event.key !== key) return;
    selected = [];
    read();
    show();
  });
  read();
  show();

  // Replaces the selection with these skills.
  const select = (rows) => {
    selected = rows.map(({ path, npx, listing }) => [path, listing, npx]);
    write();
    show();
  };
  skillbuild.choose = { base, load, element, number, encoded, compared, show, select, selected: () => selected.map(([path]) => path) };
})();
