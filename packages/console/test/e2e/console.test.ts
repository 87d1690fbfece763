/** Tests of the console with one server and one browser. The usual run makes the most important of them. */
import type { Language } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { beforeAll, describe } from "vitest"
import { testAdminArea, testAdminPages } from "./parts/admin.ts"
import { testAnalyst } from "./parts/analyst.ts"
import { testEveryPage } from "./parts/everyPage.ts"
import { testJournal, type WatchedTask } from "./parts/journal.ts"
import { testKeyboard } from "./parts/keyboard.ts"
import { testKeys } from "./parts/keys.ts"
import { testMarketTexts } from "./parts/market.ts"
import { testNotifications } from "./parts/notifications.ts"
import { testLinkSignIn, testRepeatedLinkSignIn } from "./parts/signIn.ts"
import { testWideTables } from "./parts/tables.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"
import { populateAccount, type PopulatedAccount } from "./support/populateAccount.ts"

describeInBrowser("The console in a browser", (environment) => {
  // The journal's test creates a watch and runs first, so that the watch's minute ends while the other tests run.
  const watching = new Map<Language, WatchedTask>()
  describe("The journal", () =>
    testJournal(environment, (language, conversationId) => watching.set(language, conversationId)))
  describe.runIf(isFullRun)("Signing in by a link", () => testLinkSignIn(environment))
  describe.runIf(isFullRun)("Signing in again", () => testRepeatedLinkSignIn(environment))
  describe("Keys", () => testKeys(environment))
  describe.runIf(isFullRun)("The admin area", () => testAdminArea(environment))
  describe.runIf(isFullRun)("The market", () => testMarketTexts(environment))
  describe.runIf(isFullRun)("Tables", () => testWideTables(environment))
  describe("The analyst", () => testAnalyst(environment))
  describe.runIf(isFullRun)("The keyboard", () => testKeyboard(environment))
  describe("Every page", () => {
    let populatedAccount: PopulatedAccount
    beforeAll(async () => {
      populatedAccount = await populateAccount(environment())
    })
    testEveryPage(environment, () => populatedAccount)
    if (isFullRun) testAdminPages(environment, () => populatedAccount)
  })
  // A watch is evaluated only at the end of a minute, and only the full test run waits that long.
  describe.runIf(isFullRun)("Notifications", () => testNotifications(environment, watching))
})
