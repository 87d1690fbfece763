import { describe } from "vitest"
import { analystWalks, leaving } from "./parts/analyst.ts"
import { lostAnswer, positions } from "./parts/journal.ts"
import { keyboardOfJournal } from "./parts/keyboard.ts"
import { market } from "./parts/market.ts"
import { ending, sessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { tasks } from "./parts/tasks.ts"
import { unreachable } from "./parts/unreachable.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The whole console in a browser", (house) => {
  describe("The journal", () => positions(house))
  describe("A lost answer", () => lostAnswer(house))
  describe("Signing in", () => signIn(house))
  describe("The analyst", () => analystWalks(house))
  describe("Leaving the analyst", () => leaving(house))
  describe("The keyboard", () => keyboardOfJournal(house))
  describe("The market", () => market(house))
  describe("Tasks", () => tasks(house))
  describe("Sessions", () => sessions(house))
  describe("The end of a sign-in", () => ending(house))
  describe("A service that cannot be reached", () => unreachable(house))
})
