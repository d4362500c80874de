// Runs before the first paint: the color theme and the kind of list that were chosen, and that
// scripts run at all.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("skillbuild-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (localStorage.getItem("skillbuild-list")) root.dataset.list = "compact";
  } catch {
    // Storage is refused: the preference of the system holds.
  }
})();
