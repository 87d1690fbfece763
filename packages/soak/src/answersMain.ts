import { allFailpoints, runFailpoint } from "./answers/failpoints.ts"
import {
  cancelAfterOwnerDied,
  cancelFromOtherProcess,
  gracefulHandover,
  restartSingleProcess,
  stepLongerThanRedelivery
} from "./answers/scenarios.ts"
import { withTestWorld } from "./answers/testWorld.ts"

/** Kills and freezes processes at every durable write of an answer: `npm run soak:answers [-- part of a name]`. */
const [nameFilter = ""] = process.argv.slice(2)

let findingCount = 0

const runCase = async (name: string, run: () => Promise<ReadonlyArray<string>>): Promise<void> => {
  if (!name.includes(nameFilter)) return
  const startedAt = performance.now()
  const findings = await run()
  findingCount += findings.length
  const tookMs = Math.round(performance.now() - startedAt)
  console.log(`${name}: ${findings.length === 0 ? "no findings" : "FINDINGS"}, ${tookMs} ms`)
  for (const finding of findings) console.log(`  ${finding}`)
}

await runCase("restart on the embedded database", restartSingleProcess)
await withTestWorld(async (world) => {
  const scenarios = {
    cancelElsewhere: cancelFromOtherProcess,
    cancelOfTheDead: cancelAfterOwnerDied,
    handover: gracefulHandover,
    longStep: stepLongerThanRedelivery
  }
  for (const [name, faultText] of Object.entries(scenarios)) await runCase(name, () => faultText(world))
  for (const trigger of allFailpoints) {
    await runCase(`${trigger.signal} ${trigger.point} ${trigger.nth}`, () => runFailpoint(world, trigger))
  }
})
console.log(
  findingCount === 0 ? "Every answer was complete, ended once and was charged once." : `${findingCount} findings.`
)
if (findingCount > 0) process.exitCode = 1
