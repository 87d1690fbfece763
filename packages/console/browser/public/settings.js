// Applies the settings of the browser before the first paint, so that a dark page does not flash white.
try {
  const theme = localStorage.getItem("tapeline.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
  if (localStorage.getItem("tapeline.fonts") !== null) document.documentElement.dataset.fonts = "loaded"
} catch {
  // If the browser allows no storage, the system's theme applies.
}
if (location.hash.startsWith("#tl_link_")) document.documentElement.dataset.link = ""

// Loads the document once more if a script is missing, for example while a new version of the service replaces the old
// version. Without a network, waits for the network.
const loadAgain = () => {
  const [navigation] = performance.getEntriesByType("navigation")
  if (navigator.onLine && navigation?.type !== "reload") location.reload()
  else addEventListener("online", () => location.reload())
}
addEventListener("tapeline-script-missing", loadAgain)
addEventListener("error", ({ target }) => {
  if (target instanceof HTMLScriptElement) loadAgain()
}, true)
