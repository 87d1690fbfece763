import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app/App.tsx"
import "./styles/base.css"

const root = document.querySelector("#root")
if (root === null) throw new Error("index.html has a root")
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>
)
