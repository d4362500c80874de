// Runs before the first paint: the color theme and the kind of list that were chosen, and that
// scripts run at all.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  // Who comes to see what a search finds need not see what stands above the list before.
  if (location.search) root.classList.add("asking");
  try {
    const theme = localStorage.getItem("skillbuild-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (localStorage.getItem("skillbuild-list")) root.dataset.list = "roomy";
  } catch {
    // Storage is refused: the preference of the system holds.
  }
})();
