// Delays an action until it has not been requested for a while, or until the page is painted.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  skillbuild.delayed = (act, wait) => {
    let timer = 0;
    const cancel = () => clearTimeout(timer);
    const plan = () => {
      cancel();
      timer = setTimeout(act, wait);
    };
    return { plan, cancel };
  };
  skillbuild.painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
})();
