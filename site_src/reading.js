// What helps to read a text: addresses of its headings and of the lines of a file.
(() => {
  "use strict";
  for (const heading of document.querySelectorAll(".prose :is(h2, h3, h4, h5, h6)[id]")) {
    const anchor = document.createElement("a");
    anchor.className = "anchor";
    anchor.href = "#" + heading.id;
    anchor.textContent = "#";
    anchor.setAttribute("aria-label", "Link to " + heading.textContent);
    heading.append(" ", anchor);
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

  // What the address names may be closed.
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
})();
