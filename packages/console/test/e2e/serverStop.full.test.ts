import { testServerStop } from "./parts/serverStop.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"

describeInBrowser("The console while its server stops", testServerStop)
