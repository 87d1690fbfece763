/** A short test of the console, with one server and one browser. The full run visits all pages. */
import type { Language } from "@tapeline/core/specifications"
import { beforeAll, describe } from "vitest"
import { testAnalyst } from "./parts/analyst.ts"
import { testEveryPage } from "./parts/everyPage.ts"
import { testJournal, type WatchedTask } from "./parts/journal.ts"
import { testKeyboard } from "./parts/keyboard.ts"
import { testKeys } from "./parts/keys.ts"
import { testNotifications } from "./parts/notifications.ts"
import { testLinkSignIn } from "./parts/signIn.ts"
import { testWideTables } from "./parts/tables.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"
import { isFullRun } from "./support/isFullRun.ts"
import { populateAccount, type PopulatedAccount } from "./support/populateAccount.ts"

describeInBrowser("The console in a browser", (environment) => {
  // The journal comes first, so that the watch's minute ends while the other tests run.
  const watching = new Map<Language, WatchedTask>()
  describe("The journal", () =>
    testJournal(environment, (language, conversationId) => watching.set(language, conversationId)))
  describe("Signing in by a link", () => testLinkSignIn(environment))
  describe("Keys", () => testKeys(environment))
  describe("Tables", () => testWideTables(environment))
  describe("The analyst", () => testAnalyst(environment))
  describe.runIf(isFullRun)("The keyboard", () => testKeyboard(environment))
  describe("Every page", () => {
    let populatedAccount: PopulatedAccount
    beforeAll(async () => {
      populatedAccount = await populateAccount(environment())
    })
    testEveryPage(environment, () => populatedAccount)
  })
  // A watch is evaluated at the end of a minute, for which only the full run waits.
  describe.runIf(isFullRun)("Notifications", () => testNotifications(environment, watching))
})
