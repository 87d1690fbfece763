import type { TestContext } from "vitest"

/** Where changes are checked for others nothing is passed over: what cannot be shown there fails. */
const isChecked = (process.env["CI"] ?? "") !== ""

/** A database that is given is none to do such things to; servers are started for it. */
export const isGiven = !isChecked && process.env["TEST_DATABASE_URL"] !== undefined

/** What `work` comes to; skips the test on a machine that fails for want of what these words name. */
export const orSkipped = async <A>(test: TestContext, missing: string, work: Promise<A>): Promise<A> => {
  try {
    return await work
  } catch (cause) {
    if (isChecked || !String(cause).includes(missing)) throw cause
    return test.skip(String(cause))
  }
}
