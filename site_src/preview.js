// Reloads the page after a build, and shows errors. Only `skillbuild preview` serves this script.
(() => {
  "use strict";
  let seen = -1;
  const show = (faults) => {
    document.getElementById("preview-faults")?.remove();
    if (!faults.length) return;
    const box = document.createElement("aside");
    box.id = "preview-faults";
    box.setAttribute("role", "alert");
    const title = document.createElement("strong");
    title.textContent = "Not in this preview, because of errors:";
    const list = document.createElement("pre");
    list.textContent = faults.join("\n");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => box.remove());
    box.append(title, list, close);
    // The policy of the page forbids inline styles, but allows scripts to set styles.
    Object.assign(box.style, {
      position: "fixed", insetInline: "1rem", insetBlockEnd: "1rem", maxBlockSize: "50vh", overflow: "auto",
      padding: "1rem", border: "2px solid #c4361c", borderRadius: "8px", background: "Canvas", color: "CanvasText", zIndex: "9",
    });
    document.body.append(box);
  };
  const listen = async () => {
    for (;;) {
      try {
        const [generation, ...faults] = (await (await fetch(`/-preview.txt?${seen}`)).text()).split("\n");
        if (seen >= 0 && Number(generation) !== seen) location.reload();
        if (seen < 0) show(faults);
        seen = Number(generation);
      } catch {
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  };
  listen();
})();
