/** The browser of this machine, for tests of pages, their pictures and their numbers. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { type Browser, chromium } from "playwright-core"

const names = ["chromium", "chromium-browser", "google-chrome"]
const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

/** The program that `TEST_CHROMIUM` names, else one that is installed; undefined where there is none. */
export const findChromium = (): string | undefined => {
  const given = process.env["TEST_CHROMIUM"]
  if (given !== undefined && given !== "") {
    if (!existsSync(given)) throw new Error(`TEST_CHROMIUM names ${given}, and there is no such file`)
    return given
  }
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  return [...names.flatMap((name) => folders.map((folder) => join(folder, name))), mac].find((file) => existsSync(file))
}

/** Starts it without a window. */
export const launchChromium = (program: string): Promise<Browser> => chromium.launch({ executablePath: program })
