import { runEvaluation } from "./runEvaluation.ts"

process.exitCode = await runEvaluation({
  args: process.argv.slice(2),
  environment: process.env,
  writeLine: (line) => {
    process.stdout.write(`${line}\n`)
  }
})
