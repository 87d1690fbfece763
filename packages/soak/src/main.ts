import { parseOptions } from "./options.ts"
import { runSoak } from "./soak.ts"

const print = (line: string): void => console.log(line)

for (const options of parseOptions(process.argv.slice(2))) {
  print(`soak on ${options.ground}: ${options.rounds} faults under ${options.callers} callers, seed ${options.seed}`)
  const { calls, charged, doubtful, faults, findings } = await runSoak({ ...options, print })
  print(`${calls} calls, ${charged} credits charged, ${doubtful} calls in doubt at some time`)
  print(Object.entries(faults).map(([name, count]) => `${name}: ${count}`).join(", "))
  print(
    findings.length === 0
      ? "Nothing found: every call was charged once or not at all, and the books balance."
      : "FOUND:"
  )
  for (const finding of findings) print(`  ${finding}`)
  if (findings.length > 0) process.exitCode = 1
}
