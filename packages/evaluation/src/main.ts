import { runEvaluation } from "./run.ts"

process.exitCode = await runEvaluation({
  args: process.argv.slice(2),
  environment: process.env,
  tell: (line) => {
    process.stdout.write(`${line}\n`)
  }
})
