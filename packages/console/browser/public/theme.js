// Sets the theme before the first paint. Otherwise a dark page would flash.
try {
  const theme = localStorage.getItem("tapeline.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // If the browser stores nothing, the system's theme applies.
}
