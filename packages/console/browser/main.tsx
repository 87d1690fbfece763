import { focusManager } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app/App.tsx"
import { presence } from "./requests/presence.ts"
import "./styles/base.css"

const root = document.querySelector("#root")
if (root === null) throw new Error("index.html has a root")
presence.watch(window, document)
// When the user becomes active again, the page refreshes stale data, as if the window had become visible.
presence.subscribe(() => {
  if (presence.isPresent()) focusManager.onFocus()
})
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
