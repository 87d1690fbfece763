import { stopped } from "./parts/stopped.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The console while its server stops", stopped)
