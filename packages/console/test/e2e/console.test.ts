/** A short test of the console; the full run visits all pages. One server and one browser serve all tests. */
import type { Language } from "@tapeline/core/specifications"
import { beforeAll, describe } from "vitest"
import { analyst } from "./parts/analyst.ts"
import { bell } from "./parts/bell.ts"
import { everyPage } from "./parts/everyPage.ts"
import { journal, type Watching } from "./parts/journal.ts"
import { keyboard } from "./parts/keyboard.ts"
import { keys } from "./parts/keys.ts"
import { byLink } from "./parts/signIn.ts"
import { tables } from "./parts/tables.ts"
import { full } from "./support/full.ts"
import { furnish, type Furnished } from "./support/furnish.ts"
import { inBrowser } from "./support/inBrowser.ts"

inBrowser("The console in a browser", (house) => {
  // The first test, so that the watch's minute ends while the other tests run.
  const watching = new Map<Language, Watching>()
  describe("The journal", () => journal(house, (language, made) => watching.set(language, made)))
  describe("Signing in by a link", () => byLink(house))
  describe("Keys", () => keys(house))
  describe("Tables", () => tables(house))
  describe("The analyst", () => analyst(house))
  describe.runIf(full)("The keyboard", () => keyboard(house))
  describe("Every page", () => {
    let furnished: Furnished
    beforeAll(async () => {
      furnished = await furnish(house())
    })
    everyPage(house, () => furnished)
  })
  // A watch is evaluated at the end of a minute. Only the full run waits for it.
  describe.runIf(full)("The bell", () => bell(house, watching))
})
