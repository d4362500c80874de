// Marks the section that is being read in the table of contents.
(() => {
  "use strict";
  const links = [...document.querySelectorAll(".toc a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    const read = headings.findLastIndex((heading) => heading?.getBoundingClientRect().top < 120);
    links.forEach((link, place) => link.classList.toggle("read", place === Math.max(0, read)));
  };
  let isPlanned = false;
  const plan = () => {
    if (!isPlanned) requestAnimationFrame(() => mark((isPlanned = false)));
    isPlanned = true;
  };
  if (links.length) addEventListener("scroll", plan, { passive: true });
  mark();
})();
