// Before the first paint, so that a chosen theme does not flash. A file, because the pages allow no inline scripts.
try {
  const theme = localStorage.getItem("tidemark-theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Storage is blocked: the system's theme it is.
}
