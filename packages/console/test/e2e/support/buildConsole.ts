import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../../scripts/build.mjs", import.meta.url))

/** Builds the console once for all test files, unless its build is up to date. */
export default (): void => {
  execFileSync(process.execPath, [script], { stdio: "inherit" })
}
