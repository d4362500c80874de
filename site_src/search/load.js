// Loads scripts, and returns the values in files of the index.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // A page that is opened as a local file can load only scripts. For this reason, a file of the index is
  // a script that sets `skillbuild.part`. Several of them can load at the same time.
  const parts = new WeakMap();
  Object.defineProperty(skillbuild, "part", { set: (value) => parts.set(document.currentScript, value) });
  skillbuild.load = (path) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = document.body.dataset.root + path;
      script.onload = () => {
        resolve(parts.get(script));
        script.remove();
      };
      script.onerror = () => {
        reject(new Error(`cannot load ${path}`));
        script.remove();
      };
      document.head.append(script);
    });
})();
