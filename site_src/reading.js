// Adds links to the headings of a text, and to the lines of a file.
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

  // Wide screens show these lists even if they are closed. Screen readers read them only if they are open.
  if (matchMedia("(min-width: 60rem)").matches) {
    for (const box of document.querySelectorAll(":is(.tree, .toc) > details")) box.open = true;
  }

  const named = () => location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const lines = () => location.hash.match(/^#L(\d+)(?:-L?(\d+))?$/);
  const source = document.querySelector(".numbered");
  const box = source?.closest("[data-source]");

  // Fetches the source of a rendered text when somebody opens it.
  const fill = async () => {
    if (source.textContent) return;
    const text = await (await fetch(box.dataset.source)).text();
    const parts = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
    const made = parts.flatMap((part, place) => {
      const line = document.createElement("a");
      line.id = `L${place + 1}`;
      line.textContent = part;
      return [line, "\n"];
    });
    source.firstChild.replaceChildren(...made);
  };
  if (box) {
    box.hidden = location.protocol === "file:";
    box.addEventListener("toggle", fill);
  }

  source?.addEventListener("click", (event) => {
    const line = event.target.closest("a[id]");
    // Only the line number reacts to clicks, because selecting code must not move the page.
    if (!line || event.clientX - line.getBoundingClientRect().left >= 52) return;
    const [first, last] = [Number(lines()?.[1] ?? 0), Number(line.id.slice(1))];
    const isRange = event.shiftKey && first && first !== last;
    location.hash = isRange ? `L${Math.min(first, last)}-L${Math.max(first, last)}` : line.id;
    if (isRange) getSelection().empty();
  });
  for (const input of document.querySelectorAll(".line-of input")) {
    input.addEventListener("change", () => {
      if (input.validity.valid && input.value) location.hash = "L" + Number(input.value);
    });
  }

  // Shows the target of the address, which can be a range of lines, or inside a closed or unloaded part.
  const reveal = async () => {
    const wanted = lines();
    if (wanted && box && !box.hidden) await fill();
    for (const line of document.querySelectorAll(".lit")) line.classList.remove("lit");
    const first = wanted && document.getElementById(`L${wanted[1]}`);
    for (let at = Number(wanted?.[1]); first && at <= Number(wanted[2] ?? wanted[1]); at++) {
      document.getElementById(`L${at}`)?.classList.add("lit");
    }
    const target = first || named();
    const closed = target && target.closest("details:not([open])");
    if (closed) closed.open = true;
    if (closed || (target && target !== named()) || (first && box)) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
