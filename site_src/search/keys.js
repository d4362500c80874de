// Where a key moves the focus. Results are numbered from 0, and the search field is -1.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const FIELD = -1;

  // Returns undefined if the key keeps its usual meaning.
  const goal = (key, place, last) => {
    const inField = place === FIELD;
    if (key === "Escape") return FIELD;
    if (last < 0) return undefined;
    if (key === "ArrowDown" || (key === "Enter" && inField)) return Math.min(place + 1, last);
    return inField ? undefined : { ArrowUp: place - 1, Home: 0, End: last }[key];
  };

  skillbuild.keys = { FIELD, goal };
})();
