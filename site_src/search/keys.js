// Where a key leads: places are numbered from 0, and the search field is the place before the first.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  const FIELD = -1;

  // Undefined where the key keeps its usual meaning.
  const goal = (key, place, last) => {
    const inField = place === FIELD;
    if (key === "Escape") return FIELD;
    if (last < 0) return undefined;
    if (key === "ArrowDown" || (key === "Enter" && inField)) return Math.min(place + 1, last);
    return inField ? undefined : { ArrowUp: place - 1, Home: 0, End: last }[key];
  };

  skillbuild.keys = { FIELD, goal };
})();
