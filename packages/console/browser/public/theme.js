// Before anything is drawn: a page that turns dark once it has loaded blinks.
try {
  const theme = localStorage.getItem("tapeline.theme")
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme
} catch {
  // Where nothing may be stored, the system's own holds.
}
