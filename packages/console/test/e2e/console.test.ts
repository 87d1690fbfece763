import type { Language } from "@tapeline/core/specifications"
import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { beforeAll, describe } from "vitest"
import { analyst, leaving } from "./parts/analyst.ts"
import { bell } from "./parts/bell.ts"
import { everyPage } from "./parts/everyPage.ts"
import { journal, lostAnswer, type Watching } from "./parts/journal.ts"
import { keyboard } from "./parts/keyboard.ts"
import { keys } from "./parts/keys.ts"
import { market } from "./parts/market.ts"
import { everyOpened } from "./parts/opened.ts"
import { ending, sessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { stopped } from "./parts/stopped.ts"
import { tasks } from "./parts/tasks.ts"
import { script } from "./support/analyst.ts"
import { furnish, type Furnished } from "./support/furnish.ts"
import { housed } from "./support/house.ts"

const program = findChromium()
if (program === undefined) {
  if (process.env["CI"]) throw new Error("No Chromium: install chromium, or set TEST_CHROMIUM")
  console.warn("Tests of the console in a browser are skipped: install chromium, or set TEST_CHROMIUM.")
}

/** One server and one browser for all of it: each test has an account and a browser context of its own. */
describe.skipIf(program === undefined)("The console in a browser", { timeout: 240_000 }, () => {
  const house = housed(() => launchChromium(program!), script)
  let furnished: Furnished
  beforeAll(async () => {
    furnished = await furnish(house())
  })
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
  describe("Every page", () => everyPage(house, () => furnished))
  describe("What pages open", () => everyOpened(house, () => furnished))
  describe("The bell", () => bell(house, watching))
  // The last, since it stops the server.
  describe("A service that is away", () => stopped(house))
})
