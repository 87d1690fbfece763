import { root } from "./manifest.ts"
import { checkRepository } from "./tidy.ts"
import { compareWithExceptions, exceptions } from "./tidyExceptions.ts"

const { files, found } = checkRepository(root)
const { loose, wrong: violations } = compareWithExceptions(found, exceptions)
for (const line of violations) console.error(line)
for (const line of loose) console.log(`${line} (lower it in tidyExceptions.ts)`)
console.log(`tidy: ${files} files, ${violations.length} findings, ${exceptions.length} exceptions`)
process.exitCode = violations.length === 0 && files > 0 ? 0 : 1
