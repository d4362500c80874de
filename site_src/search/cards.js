// Creates the elements that a search shows, most of all cards. They are cloned from a template and
// filled with rows of the index.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const { number, plural } = skillbuild.words;

  const element = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };
  const press = (text, look, act) => {
    const button = element("button", text);
    button.type = "button";
    button.className = look;
    button.addEventListener("click", act);
    return button;
  };

  // Splits a text into pairs of a piece and whether it matched.
  const pieces = (text, spans) => {
    const cut = [];
    let end = 0;
    for (const [from, to] of spans) {
      if (from < end || to <= from) continue;
      if (from > end) cut.push([text.slice(end, from), false]);
      cut.push([text.slice(from, to), true]);
      end = to;
    }
    if (end < text.length) cut.push([text.slice(end), false]);
    return cut;
  };

  // Returns the `d` attribute of an identicon. Each bit of `cells` is a square of size 1, with 5 in a row.
  const drawing = (cells) => {
    let path = "";
    for (let cell = 0; cell < 25; cell++) {
      if (cells & (1 << cell)) path += `M${(cell % 5) + 1} ${Math.floor(cell / 5) + 1}h1v1h-1z`;
    }
    return path;
  };

  const license = (label) => (/^[a-z]/.test(label) ? `license: ${label}` : label);

  // Returns the content of an element: the text with its matches marked.
  const marked = (text, spans) =>
    pieces(text, spans).map(([piece, isMatch]) => (isMatch ? element("mark", piece) : piece));
  // Sets a text with its matches marked. A custom template may not have the element.
  const say = (place, text, spans) => place?.replaceChildren(...marked(text, spans(text)));

  const setIcon = (card, code) => {
    const sample = card.querySelector(".icon");
    if (!sample) return;
    if (!code.includes(":")) {
      sample.setAttribute("fill", `#${code.slice(0, 6)}`);
      sample.querySelector("path").setAttribute("d", drawing(parseInt(code.slice(6), 16)));
      return;
    }
    const images = code.split("|").map((part) => {
      const [file, theme] = part.split(":");
      const image = sample.cloneNode();
      image.setAttribute("src", sample.getAttribute("src").replace("~icon~", file));
      if (theme) image.classList.add(`on-${theme}`);
      return image;
    });
    sample.replaceWith(...images);
  };

  // `samples` has the two cards of the template: one with a drawn icon, and one with an icon file.
  // `spans` returns the matches in a text. `usual` has the license, group and date that all cards share,
  // which are not shown, and the titles of groups.
  const fill = (samples, row, spans, usual) => {
    const card = samples[row.icon.includes(":") ? 1 : 0].cloneNode(true);
    setIcon(card, row.icon);
    const path = row.path.split("/").map(encodeURIComponent).join("/");
    for (const link of card.querySelectorAll("a")) {
      link.setAttribute("href", link.getAttribute("href").replace("~/path~", path));
    }
    say(card.querySelector("h2 a"), row.title || row.name, spans);
    const isTold = row.group && row.group !== row.name && row.group !== usual.group;
    if (isTold) say(card.querySelector(".path"), usual.titles?.get(row.group) ?? row.group, spans);
    else card.querySelector(".path")?.remove();
    say(card.querySelector(".say"), row.description, spans);
    const set = (name, text) => {
      const place = card.querySelector(name);
      if (text) place?.replaceChildren(text);
      else place?.remove();
    };
    set(".license", row.license !== usual.license && license(row.license));
    set(".files", plural(row.files, "file"));
    set(".tokens", `≈ ${number(row.tokens)} tokens`);
    // Days are negative if they sort the newest skills first.
    const date = row.day && new Date(Math.abs(row.day) * 864e5).toISOString().slice(0, 10);
    set(".date", date !== usual.date && date);
    const [loud, quiet] = [card.querySelector(".signal.mark"), card.querySelector(".signal:not(.mark)")];
    for (const signal of row.signals) {
      const shown = (signal[0] === "!" ? loud : quiet)?.cloneNode();
      shown?.append(signal.replace("!", ""));
      if (shown) (loud ?? quiet).before(shown, " ");
    }
    loud?.remove();
    quiet?.remove();
    return card;
  };

  skillbuild.cards = { element, press, pieces, drawing, license, fill, say };
})();
