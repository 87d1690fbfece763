import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { beforeAll, describe } from "vitest"
import { analyst } from "./parts/analyst.ts"
import { bell } from "./parts/bell.ts"
import { everyPage } from "./parts/everyPage.ts"
import { keyboard } from "./parts/keyboard.ts"
import { keys } from "./parts/keys.ts"
import { sessions } from "./parts/sessions.ts"
import { signIn } from "./parts/signIn.ts"
import { stopped } from "./parts/stopped.ts"
import { script } from "./support/analyst.ts"
import { furnish, type Furnished } from "./support/furnish.ts"
import { housed } from "./support/house.ts"

const program = findChromium()
if (program === undefined) {
  if (process.env["CI"]) throw new Error("No Chromium: install chromium, or set TAPELINE_CHROMIUM")
  console.warn("Tests of the console in a browser are skipped: install chromium, or set TAPELINE_CHROMIUM.")
}

/** One server and one browser for all of it: each test has an account and a browser context of its own. */
describe.skipIf(program === undefined)("The console in a browser", { timeout: 240_000 }, () => {
  const house = housed(() => launchChromium(program!), script)
  let furnished: Furnished
  // At the beginning: what it has a task wait for is a minute's end, which comes while the others run.
  beforeAll(async () => {
    furnished = await furnish(house())
  })
  describe("Signing in", () => signIn(house))
  describe("Keys", () => keys(house))
  describe("The analyst", () => analyst(house))
  describe("The keyboard", () => keyboard(house))
  describe("Sessions", () => sessions(house))
  describe("Every page", () => everyPage(house, () => furnished))
  describe("The bell", () => bell(house, () => furnished))
  // The last, since it stops the server.
  describe("A service that is away", () => stopped(house))
})
