import { withWorld } from "./answers/world.ts"
import { allTaskTraps, bothLead, strikeTasks } from "./tasks/matrix.ts"

/** Kills and freezes processes at every durable write of a task's firing: `npm run soak:tasks [-- part of a name]`. */
const [wanted = ""] = process.argv.slice(2)

let [met, found] = [0, 0]

const attempt = async (name: string, work: () => Promise<ReadonlyArray<string>>): Promise<void> => {
  if (!name.includes(wanted)) return
  const begun = performance.now()
  const findings = await work()
  met += 1
  found += findings.length
  const tookMs = Math.round(performance.now() - begun)
  console.log(`${name}: ${findings.length === 0 ? "nothing found" : "FOUND"}, ${tookMs} ms`)
  for (const finding of findings) console.log(`  ${finding}`)
}

await withWorld(async (world) => {
  await attempt("both lead", () => bothLead(world))
  for (const trap of allTaskTraps) {
    await attempt(`${trap.signal} ${trap.point} ${trap.nth}`, () => strikeTasks(world, trap))
  }
})
console.log(found === 0 ? `${met} times everything that was due fired once.` : `${found} findings.`)
if (found > 0) process.exitCode = 1
