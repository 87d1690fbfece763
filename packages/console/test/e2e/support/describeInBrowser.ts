import { findChromium, launchChromium } from "@tapeline/scripts/chromium"
import { isFullRun } from "@tapeline/testing/fullRun"
import { skipWithoutProgram } from "@tapeline/testing/programs"
import { describe } from "vitest"
import { modelScript } from "./analyst.ts"
import { setUpEnvironment, type TestEnvironment } from "./environment.ts"

/** Languages of a test whose labels differ by language. The usual run visits all pages in Russian once. */
export const testedLanguages = isFullRun ? (["en", "ko"] as const) : (["en"] as const)

const chromiumPath = findChromium()
const options = {
  timeout: 240_000,
  ...skipWithoutProgram("chromium: install it, or set TEST_CHROMIUM", chromiumPath !== null)
}

/** Describes tests with one server and one browser. Each test has its own account and browser context. */
export const describeInBrowser = (name: string, tests: (environment: () => TestEnvironment) => void): void =>
  void describe(name, options, () => tests(setUpEnvironment(() => launchChromium(chromiumPath!), modelScript)))
