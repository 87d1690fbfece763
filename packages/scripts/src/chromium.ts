/** The browser of this machine, for tests of pages, their pictures and their numbers. */
import { findProgram } from "@tapeline/testing/programs"
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const macChromePath = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

/** The program that `TEST_CHROMIUM` names, or else an installed one. Null if there is none. */
export const findChromium = (): string | null => {
  const configured = process.env["TEST_CHROMIUM"]
  if (configured !== undefined && configured !== "") {
    if (!existsSync(configured)) throw new Error(`TEST_CHROMIUM names ${configured}, and there is no such file`)
    return configured
  }
  return findProgram("chromium", "chromium-browser", "google-chrome") ??
    (existsSync(macChromePath) ? macChromePath : null)
}

/** Starts Chromium without a window. Drawing in the browser's own process takes a sixth less CPU without a GPU. */
export const launchChromium = (program: string): Promise<Browser> =>
  chromium.launch({ executablePath: program, args: ["--disable-gpu", "--in-process-gpu"] })
