// Searches for the last words of the address of a missing page.
(() => {
  "use strict";
  const path = new URLSearchParams(`path=${location.pathname}`).get("path");
  document.querySelector("[data-address]").textContent = path;
  const part = /^(|-|skills|index.html)$/;
  const words = path.replace(document.body.dataset.root, "").split("/").filter((word) => !part.test(word));
  const input = document.getElementById("search");
  if (!location.search && !path.endsWith("/404.html")) input.value = words.slice(-2).join(" ").replace(/[-_.]+|html$/g, " ").trim();
  document.getElementById("listing").dataset.guess = input.value;
})();
