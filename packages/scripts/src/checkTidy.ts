import { root } from "./manifest.ts"
import { untidy } from "./tidy.ts"
import { exceptions, judge } from "./tidyExceptions.ts"

const { files, found } = untidy(root)
const { slack, wrong } = judge(found, exceptions)
for (const line of wrong) console.error(line)
for (const line of slack) console.log(`${line} (lower it in tidyExceptions.ts)`)
console.log(`tidy: ${files} files, ${wrong.length} findings, ${exceptions.length} exceptions`)
process.exitCode = wrong.length === 0 && files > 0 ? 0 : 1
