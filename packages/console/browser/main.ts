import { readLanguage } from "./i18n/storedLanguage.ts"
import { startPage } from "./start.ts"
import "./styles/base.css"

const root = document.querySelector<HTMLElement>("#root")
if (root === null) throw new Error("index.html has a root")
const language = readLanguage()
const start = startPage(language, location, root.dataset["audience"] === "user")
import("./app/mount.tsx").then(
  ({ mount }) => mount(root, language, start),
  // The HTML stays visible, and `settings.js` loads the document again.
  () => dispatchEvent(new Event("tapeline-script-missing"))
)
