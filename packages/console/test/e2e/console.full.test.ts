import { describe } from "vitest"
import { testAnalystFlows, testLeavingPage } from "./parts/analyst.ts"
import { testLostResponse, testPositions } from "./parts/journal.ts"
import { testJournalKeyboard } from "./parts/keyboard.ts"
import { testMarket } from "./parts/market.ts"
import { testSessionEnd, testSessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { testTasks } from "./parts/tasks.ts"
import { testUnreachable } from "./parts/unreachable.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"

describeInBrowser("The whole console in a browser", (house) => {
  describe("The journal", () => testPositions(house))
  describe("A lost response", () => testLostResponse(house))
  describe("Signing in", () => signIn(house))
  describe("The analyst", () => testAnalystFlows(house))
  describe("Leaving the analyst", () => testLeavingPage(house))
  describe("The keyboard", () => testJournalKeyboard(house))
  describe("The market", () => testMarket(house))
  describe("Tasks", () => testTasks(house))
  describe("Sessions", () => testSessions(house))
  describe("The end of a session", () => testSessionEnd(house))
  describe("An unreachable service", () => testUnreachable(house))
})
