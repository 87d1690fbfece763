/** Checks pages with axe, in both themes and at both sizes. */
import { beforeAll, describe } from "vitest"
import { testEveryDialog } from "./parts/dialogs.ts"
import { testEveryWidePage } from "./parts/everyPage.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"
import { populateAccount, type PopulatedAccount } from "./support/populateAccount.ts"

describeInBrowser("The accessibility of the console in a browser", (house) => {
  let furnished: PopulatedAccount
  beforeAll(async () => {
    furnished = await populateAccount(house())
  })
  describe("Every page", () => testEveryWidePage(house, () => furnished))
  describe("Every dialog and menu", () => testEveryDialog(house, () => furnished))
})
