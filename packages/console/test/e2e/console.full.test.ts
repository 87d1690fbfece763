import { describe } from "vitest"
import { testAnalystFlows, testFigures, testLeavingPage } from "./parts/analyst.ts"
import { testLostResponse, testPositions } from "./parts/journal.ts"
import { testJournalKeyboard } from "./parts/keyboard.ts"
import { testMarket } from "./parts/market.ts"
import { testSessionEnd, testSessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { testTasks } from "./parts/tasks.ts"
import { testUnreachable } from "./parts/unreachable.ts"
import { describeInBrowser } from "./support/describeInBrowser.ts"

describeInBrowser("The whole console in a browser", (environment) => {
  describe("The journal", () => testPositions(environment))
  describe("A lost response", () => testLostResponse(environment))
  describe("Signing in", () => signIn(environment))
  describe("The analyst", () => testAnalystFlows(environment))
  describe("The numbers of an answer", () => testFigures(environment))
  describe("Leaving the analyst", () => testLeavingPage(environment))
  describe("The keyboard", () => testJournalKeyboard(environment))
  describe("The market", () => testMarket(environment))
  describe("Tasks", () => testTasks(environment))
  describe("Sessions", () => testSessions(environment))
  describe("The end of a session", () => testSessionEnd(environment))
  describe("An unreachable service", () => testUnreachable(environment))
})
