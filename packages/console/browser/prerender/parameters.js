// Shows the last segment of the address in the empty elements of its parameter.
const segment = location.pathname.split("/").findLast((part) => part !== "")
for (const element of document.querySelectorAll("[data-parameter]")) {
  try {
    element.textContent = decodeURIComponent(segment)
  } catch {
    // An address with an invalid encoding has no parameter.
  }
}
