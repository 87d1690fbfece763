// Imports each program that it is told of, one after the other, and tells what it printed: an object of JSON on a line
// for each.
import { format } from "node:util"

/** The longest that a program may take to run through. */
const longestMs = 60_000

const tell = (outcome: object) => process.stdout.write(`${JSON.stringify(outcome)}\n`)

for (const file of process.argv.slice(2)) {
  let printed = ""
  console.log = (...args) => {
    printed += `${format(...args)}\n`
  }
  const late = setTimeout(() => {
    tell({ file, printed, error: `it runs for more than ${longestMs} ms` })
    process.exit(1)
  }, longestMs)
  try {
    await import(file)
    tell({ file, printed })
  } catch (error) {
    tell({ file, printed, error: error instanceof Error ? error.stack : String(error) })
  }
  clearTimeout(late)
}
// What a program left open, such as an embedded database, ends with it.
process.exit(0)
