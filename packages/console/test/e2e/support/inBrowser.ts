import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { describe } from "vitest"
import { script } from "./analyst.ts"
import { type House, housed } from "./house.ts"

const program = findChromium()

/** Tests over one server and one browser: each has an account and a browser's context of its own. */
export const inBrowser = (name: string, tests: (house: () => House) => void): void => {
  if (program === undefined) {
    if (process.env["CI"]) throw new Error("No Chromium: install chromium, or set TEST_CHROMIUM")
    console.warn("Tests of the console in a browser are skipped: install chromium, or set TEST_CHROMIUM.")
  }
  describe.skipIf(program === undefined)(name, { timeout: 240_000 }, () => {
    tests(housed(() => launchChromium(program!), script))
  })
}
