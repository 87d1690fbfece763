import { type FailoverKind, failoverKinds, runFailover } from "./failover/failover.ts"
import { startPatroniPair } from "./failover/patroniPair.ts"

/** Measures failovers of the database: `npm run soak:failover [-- <part of a kind>]`. */
const [kindFilter = ""] = process.argv.slice(2)
const kinds = failoverKinds.filter((kind: FailoverKind) => kind.includes(kindFilter))

const { answers, calls, charged, findings, times } = await runFailover(startPatroniPair, kinds)
console.log(`${calls} calls, ${charged} credits charged, ${answers} answers`)
for (const [kind, { pauseMs, promotionMs, readyMs, resumedMs }] of Object.entries(times)) {
  console.log(
    `${kind}: promotion after ${promotionMs} ms, first call ${resumedMs} ms later, all processes ready ${readyMs} ms ` +
      `later; longest pause of calls ${pauseMs} ms`
  )
}
for (const finding of findings) console.log(`  FINDING: ${finding}`)
if (findings.length > 0) process.exitCode = 1
