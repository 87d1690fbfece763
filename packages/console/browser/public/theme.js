// Sets the theme before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem("tapeline.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // If the browser allows no storage, the system's theme applies.
}
