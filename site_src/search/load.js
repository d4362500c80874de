// Loads scripts, and hands over the values in files of the index.
globalThis.skillbuild ??= {};
(() => {
  "use strict";
  // Scripts work where a page was opened as a local file, which may load nothing else. A file of
  // the index hands over its value by `skillbuild.part=`, and several are on their way at a time.
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
