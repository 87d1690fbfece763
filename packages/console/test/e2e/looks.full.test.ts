/** Checks pages with axe, in both themes and at both sizes. */
import { beforeAll, describe } from "vitest"
import { testEveryDialog } from "./parts/dialogs.ts"
import { testEveryWidePage } from "./parts/everyPage.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"
import { populateAccount, type PopulatedAccount } from "./support/populateAccount.ts"

describeInBrowser("The accessibility of the console in a browser", (environment) => {
  let populatedAccount: PopulatedAccount
  beforeAll(async () => {
    populatedAccount = await populateAccount(environment())
  })
  describe("Every page", () => testEveryWidePage(environment, () => populatedAccount))
  describe("Every dialog and menu", () => testEveryDialog(environment, () => populatedAccount))
})
