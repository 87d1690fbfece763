// Imports the given programs one after another, and prints the output of each program as a line of JSON.
import { format } from "node:util"

const maxDurationMs = 60_000

const printOutcome = (outcome: object) => process.stdout.write(`${JSON.stringify(outcome)}\n`)

for (const file of process.argv.slice(2)) {
  let printed = ""
  console.log = (...args) => {
    printed += `${format(...args)}\n`
  }
  const timeout = setTimeout(() => {
    printOutcome({ file, printed, error: `the program did not end within ${maxDurationMs} ms` })
    process.exit(1)
  }, maxDurationMs)
  try {
    await import(file)
    printOutcome({ file, printed })
  } catch (error) {
    printOutcome({ file, printed, error: error instanceof Error ? error.stack : String(error) })
  }
  clearTimeout(timeout)
}
// The process exits explicitly, because a program can leave resources open, such as an embedded database.
process.exit(0)
