import { readLanguage } from "./i18n/storedLanguage.ts"
import { startPage } from "./start.ts"
import "./styles/base.css"

const root = document.querySelector<HTMLElement>("#root")
if (root === null) throw new Error("index.html has a root")
const language = readLanguage()
const start = startPage(language, location, root.dataset["audience"] === "user")
import("./app/mount.tsx").then(
  ({ mount }) => mount(root, language, start),
  // The HTML stays visible. The document is loaded again when the network is back.
  () => addEventListener("online", () => location.reload())
)
