import type { Language } from "@tapeline/core/specifications"
import { describe } from "vitest"
import { analyst, leaving } from "./parts/analyst.ts"
import { bell } from "./parts/bell.ts"
import { journal, lostAnswer, type Watching } from "./parts/journal.ts"
import { keyboard } from "./parts/keyboard.ts"
import { keys } from "./parts/keys.ts"
import { market } from "./parts/market.ts"
import { ending, sessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { tasks } from "./parts/tasks.ts"
import { unreachable } from "./parts/unreachable.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The console in a browser", (house) => {
  // At the beginning: what is watched there is judged at a minute's end, which comes while the others run.
  const watching = new Map<Language, Watching>()
  describe("The journal", () => journal(house, (language, made) => watching.set(language, made)))
  describe("A lost answer", () => lostAnswer(house))
  describe("Signing in", () => signIn(house))
  describe("Keys", () => keys(house))
  describe("The analyst", () => analyst(house))
  describe("Leaving the analyst", () => leaving(house))
  describe("The keyboard", () => keyboard(house))
  describe("The market", () => market(house))
  describe("Tasks", () => tasks(house))
  describe("Sessions", () => sessions(house))
  describe("The end of a sign-in", () => ending(house))
  describe("The bell", () => bell(house, watching))
  describe("A service that cannot be reached", () => unreachable(house))
})
