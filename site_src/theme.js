// Runs before the first paint. Applies the chosen color theme and list style, and tells the style sheet
// that scripts run.
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  // If the address contains a search, hide what is above the list from the start.
  if (location.search) root.classList.add("asking");
  try {
    const theme = localStorage.getItem("skillbuild-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    if (localStorage.getItem("skillbuild-list")) root.dataset.list = "roomy";
  } catch {
    // Without storage, the preference of the system applies.
  }
})();
