import { withTestWorld } from "./answers/testWorld.ts"
import { allTaskFailpoints, runTaskFailpoint, runTwoLeaders } from "./tasks/failpoints.ts"

/** Kills and freezes processes at every durable write of a task's firing: `npm run soak:tasks [-- part of a name]`. */
const [nameFilter = ""] = process.argv.slice(2)

let [caseCount, findingCount] = [0, 0]

const runCase = async (name: string, run: () => Promise<ReadonlyArray<string>>): Promise<void> => {
  if (!name.includes(nameFilter)) return
  const startedAt = performance.now()
  const findings = await run()
  caseCount += 1
  findingCount += findings.length
  const tookMs = Math.round(performance.now() - startedAt)
  console.log(`${name}: ${findings.length === 0 ? "no findings" : "FINDINGS"}, ${tookMs} ms`)
  for (const finding of findings) console.log(`  ${finding}`)
}

await withTestWorld(async (world) => {
  await runCase("both lead", () => runTwoLeaders(world))
  for (const trigger of allTaskFailpoints) {
    await runCase(`${trigger.signal} ${trigger.point} ${trigger.nth}`, () => runTaskFailpoint(world, trigger))
  }
})
console.log(findingCount === 0 ? `In all ${caseCount} cases, each due task fired once.` : `${findingCount} findings.`)
if (findingCount > 0) process.exitCode = 1
