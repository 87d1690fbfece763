import { parseOptions } from "./options.ts"
import { runSoak } from "./soak.ts"

const print = (line: string): void => console.log(line)

for (const options of parseOptions(process.argv.slice(2))) {
  print(`soak on ${options.ground}: ${options.rounds} faults under ${options.callers} callers, seed ${options.seed}`)
  const { calls, charged, doubtful, faults, findings } = await runSoak({ ...options, print })
  print(`${calls} calls, ${charged} credits charged, ${doubtful} calls whose outcome was unknown at some time`)
  print(Object.entries(faults).map(([name, count]) => `${name}: ${count}`).join(", "))
  print(
    findings.length === 0
      ? "No findings: every call was charged at most once, and the credits of all accounts are consistent."
      : "FINDINGS:"
  )
  for (const finding of findings) print(`  ${finding}`)
  if (findings.length > 0) process.exitCode = 1
}
