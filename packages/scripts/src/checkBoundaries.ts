import { resolve } from "node:path"
import { findViolations } from "./boundaries.ts"

const { files, found } = findViolations(resolve(import.meta.dirname, "../../.."))
for (const { file, rule, specifier } of found) {
  console.error(`${file}: ${specifier === null ? "" : `imports "${specifier}": `}${rule}`)
}
console.log(`boundaries: ${files} files, ${found.length} violations`)
process.exitCode = found.length === 0 && files > 0 ? 0 : 1
