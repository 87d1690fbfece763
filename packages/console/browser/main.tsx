import { focusManager } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app/App.tsx"
import { presence } from "./asking/presence.ts"
import "./styles/base.css"

const root = document.querySelector("#root")
if (root === null) throw new Error("index.html has a root")
presence.watch(window, document)
// Who comes back is shown what is so now, as who looks at the page again is.
presence.subscribe(() => {
  if (presence.isThere()) focusManager.onFocus()
})
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
