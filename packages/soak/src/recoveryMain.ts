import { faultKinds, recover } from "./recovery/recovery.ts"

/** Measures how fast answers recover from faults: `npm run soak:recovery [-- <generations> <part of a kind>]`. */
const [generations = "200", wanted = ""] = process.argv.slice(2)

let found = 0
for (const kind of faultKinds.filter((kind) => kind.includes(wanted))) {
  const { findings, generations: answered, outcomes, stalls } = await recover(kind, Number(generations))
  const at = (share: number) => Math.round(stalls[Math.min(stalls.length - 1, Math.floor(share * stalls.length))] ?? 0)
  console.log(
    `${kind}: ${answered} answers (${JSON.stringify(outcomes)}), ${stalls.length} met a fault; ` +
      `time without progress: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
  )
  for (const finding of findings) console.log(`  FOUND: ${finding}`)
  found += findings.length
}
if (found > 0) process.exitCode = 1
