// Where a key leads: places are numbered from 0, and the search field is the place before the first.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const FIELD = -1;

  // Undefined where the key keeps its usual meaning.
  const goal = (key, place, last) => {
    const inField = place === FIELD;
    if (last < 0) return key === "Escape" ? FIELD : undefined;
    if (key === "ArrowDown" || (key === "Enter" && inField)) return Math.min(place + 1, last);
    if (key === "ArrowUp" && !inField) return place - 1;
    if (key === "Home" && !inField) return 0;
    if (key === "End" && !inField) return last;
    return key === "Escape" ? FIELD : undefined;
  };

  skillbuild.keys = { FIELD, goal };
})();
