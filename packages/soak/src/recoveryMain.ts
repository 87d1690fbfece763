import { faultKinds, runRecovery } from "./recovery/recovery.ts"

/** Measures how fast answers recover from faults: `npm run soak:recovery [-- <generations> <part of a kind>]`. */
const [generations = "200", kindFilter = ""] = process.argv.slice(2)

let findingCount = 0
for (const kind of faultKinds.filter((kind) => kind.includes(kindFilter))) {
  const { findings, generations: answeredCount, outcomes, rejections, stallsMs } = await runRecovery(
    kind,
    Number(generations)
  )
  const percentile = (share: number) =>
    Math.round(stallsMs[Math.min(stallsMs.length - 1, Math.floor(share * stallsMs.length))] ?? 0)
  console.log(
    `${kind}: ${answeredCount} answers (${JSON.stringify(outcomes)}), ${stallsMs.length} met a fault; ` +
      `time without progress: median ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, longest ${percentile(1)} ms`
  )
  const longRejections = rejections.filter(({ answerMs, rejectedMs }) => rejectedMs > answerMs)
  console.log(
    `  ${rejections.length} keys were rejected as in progress, for at most ` +
      `${Math.round(Math.max(0, ...rejections.map(({ rejectedMs }) => rejectedMs)))} ms, ` +
      `${longRejections.length} for longer than the answer then took`
  )
  for (const finding of findings) console.log(`  FINDING: ${finding}`)
  findingCount += findings.length
}
if (findingCount > 0) process.exitCode = 1
