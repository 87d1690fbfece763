// Imports the given programs one after another. Prints the output of each as a line of JSON.
import { format } from "node:util"

/** The maximum duration of a program. */
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
// Ends what a program left open, such as an embedded database.
process.exit(0)
