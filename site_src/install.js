// Shows the instructions for the client and scope that were last chosen on any page.
(() => {
  "use strict";
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  for (const choice of document.querySelectorAll(".choice")) {
    const clients = [...choice.nextElementSibling.children];
    const select = choice.querySelector("select");
    const scopes = [...choice.querySelectorAll("button")];
    const chosen = { client: kept("skillbuild-client"), scope: kept("skillbuild-scope") };
    const show = () => {
      if (clients.some(({ dataset }) => dataset.client === chosen.client)) select.value = chosen.client;
      for (const each of clients) each.open = each.dataset.client === select.value;
      const ways = [...clients[select.selectedIndex].querySelectorAll(".way")];
      const shown = ways.find(({ dataset }) => dataset.scope === chosen.scope) ?? ways[0];
      for (const way of ways) way.classList.toggle("on", way === shown);
      for (const button of scopes) {
        button.hidden = !ways.some(({ dataset }) => dataset.scope === button.dataset.scope);
        button.ariaPressed = button.dataset.scope === shown?.dataset.scope;
      }
    };
    const choose = (key, value) => {
      chosen[key] = value;
      show();
      try {
        localStorage.setItem(`skillbuild-${key}`, value);
      } catch {
        // Without storage, the choice applies only to this page.
      }
    };
    select.addEventListener("change", () => choose("client", select.value));
    for (const button of scopes) button.addEventListener("click", () => choose("scope", button.dataset.scope));
    show();
  }
})();
