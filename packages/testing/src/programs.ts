import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { SuiteOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /** The need of a skipped suite, and how to meet it. The summary of a test run prints it. */
    needs?: string
  }
}

/** Whether a missing program must fail the run instead of skipping tests. */
const isCi = (): boolean => (process.env["CI"] ?? "") !== ""

/** The first file of these names in `PATH` or a system folder. Null if there is none. */
export const findProgram = (...names: ReadonlyArray<string>): string | null => {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null
}

/** Suite options that skip the suite unless the machine meets a need, such as "root, to mount a file system". */
export const skipUnless = (need: string, isMet: boolean): SuiteOptions =>
  isMet ? {} : { skip: true, meta: { needs: need } }

/**
 * Suite options that skip the suite if a program is missing. `program` says how to get the program: "chromium: install
 * it, or set TEST_CHROMIUM". Throws if `CI` is set: a run that checks changes for others skips nothing.
 */
export const skipWithoutProgram = (program: string, isFound: boolean): SuiteOptions => {
  if (!isFound && isCi()) throw new Error(`Missing ${program}`)
  return skipUnless(program, isFound)
}
