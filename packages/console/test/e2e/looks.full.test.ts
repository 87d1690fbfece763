/** Checks pages with axe, in both themes and at both sizes. */
import { beforeAll, describe } from "vitest"
import { everyWidePage } from "./parts/everyPage.ts"
import { everyOpened } from "./parts/opened.ts"
import { furnish, type Furnished } from "./support/furnish.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The looks of the console in a browser", (house) => {
  let furnished: Furnished
  beforeAll(async () => {
    furnished = await furnish(house())
  })
  describe("Every page", () => everyWidePage(house, () => furnished))
  describe("What pages open", () => everyOpened(house, () => furnished))
})
