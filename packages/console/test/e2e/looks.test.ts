/** How pages look to axe, in both themes and on a phone: beside the other tests in a browser, which take as long. */
import { beforeAll, describe } from "vitest"
import { everyPage } from "./parts/everyPage.ts"
import { everyOpened } from "./parts/opened.ts"
import { furnish, type Furnished } from "./support/furnish.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The looks of the console in a browser", (house) => {
  let furnished: Furnished
  beforeAll(async () => {
    furnished = await furnish(house())
  })
  describe("Every page", () => everyPage(house, () => furnished))
  describe("What pages open", () => everyOpened(house, () => furnished))
})
