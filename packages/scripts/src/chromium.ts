import { findProgram } from "@tapeline/testing/programs"
import { existsSync } from "node:fs"
import { type Browser, chromium } from "playwright-core"

const macChromePath = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

/**
 * Returns the path of the browser in `TEST_CHROMIUM` or of an installed browser, or null if no browser is installed.
 */
export const findChromium = (): string | null => {
  const configured = process.env["TEST_CHROMIUM"]
  if (configured !== undefined && configured !== "") {
    if (!existsSync(configured)) throw new Error(`TEST_CHROMIUM is ${configured}, but this file does not exist`)
    return configured
  }
  return findProgram("chromium", "chromium-browser", "google-chrome") ??
    (existsSync(macChromePath) ? macChromePath : null)
}

/** Starts Chromium without a GPU. */
export const launchChromium = (program: string): Promise<Browser> =>
  // Without a GPU, drawing in the main process of the browser takes a sixth less CPU time.
  chromium.launch({ executablePath: program, args: ["--disable-gpu", "--in-process-gpu"] })
