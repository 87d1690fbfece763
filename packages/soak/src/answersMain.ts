import { cancelElsewhere, cancelOfTheDead, handover, longStep, restart } from "./answers/hardships.ts"
import { allTraps, strike } from "./answers/matrix.ts"
import { withWorld } from "./answers/world.ts"

/** Kills and freezes processes at every durable write of an answer: `npm run soak:answers [-- part of a name]`. */
const [wanted = ""] = process.argv.slice(2)

let found = 0

const attempt = async (name: string, work: () => Promise<ReadonlyArray<string>>): Promise<void> => {
  if (!name.includes(wanted)) return
  const begun = performance.now()
  const findings = await work()
  found += findings.length
  const tookMs = Math.round(performance.now() - begun)
  console.log(`${name}: ${findings.length === 0 ? "nothing found" : "FOUND"}, ${tookMs} ms`)
  for (const finding of findings) console.log(`  ${finding}`)
}

await attempt("restart on the embedded database", restart)
await withWorld(async (world) => {
  const hardships = { cancelElsewhere, cancelOfTheDead, handover, longStep }
  for (const [name, hardship] of Object.entries(hardships)) await attempt(name, () => hardship(world))
  for (const trap of allTraps) await attempt(`${trap.signal} ${trap.point} ${trap.nth}`, () => strike(world, trap))
})
console.log(found === 0 ? "Every answer ended once, whole, and was charged once." : `${found} findings.`)
if (found > 0) process.exitCode = 1
