import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { needsProgram } from "@tapeline/testing/programs"
import { describe } from "vitest"
import { script } from "./analyst.ts"
import { full } from "./full.ts"
import { type House, housed } from "./house.ts"

/** Languages of a test whose labels differ by language. The usual run visits all pages in Russian once. */
export const someLanguages = full ? (["en", "ko"] as const) : (["en"] as const)

const program = findChromium()
const options = {
  timeout: 240_000,
  ...needsProgram("chromium: install it, or set TEST_CHROMIUM", program !== null)
}

/** Tests with one server and one browser. Each test has its own account and browser context. */
export const inBrowser = (name: string, tests: (house: () => House) => void): void =>
  void describe(name, options, () => tests(housed(() => launchChromium(program!), script)))
