import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { SuiteOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    /**
     * The unmet requirement of a skipped test suite, and how to meet the requirement. The summary of a test run prints
     * the text.
     */
    needs?: string
  }
}

/** Returns whether a missing program must fail the run instead of skipping tests. */
const isCi = (): boolean => (process.env["CI"] ?? "") !== ""

/** Returns the first file with one of the names in `PATH` or a system folder. Returns null if no such file exists. */
export const findProgram = (...names: ReadonlyArray<string>): string | null => {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin"]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file)) ?? null
}

/**
 * Returns suite options that skip the suite unless the machine meets a requirement, such as "root, to mount a file
 * system".
 */
export const skipUnless = (need: string, isMet: boolean): SuiteOptions =>
  isMet ? {} : { skip: true, meta: { needs: need } }

/**
 * Returns suite options that skip the suite if a program is missing. `program` describes how to get the program:
 * "chromium: install it, or set TEST_CHROMIUM".
 *
 * Throws if `CI` is set and the program is missing, because a run in CI must not skip tests.
 */
export const skipWithoutProgram = (program: string, isFound: boolean): SuiteOptions => {
  if (!isFound && isCi()) throw new Error(`Missing ${program}`)
  return skipUnless(program, isFound)
}
