import type { Finding, Rule } from "./tidy.ts"

/** A place where a rule does not hold. Its size may only shrink; an entry goes when nothing is left of it. */
export interface Exception {
  readonly file: string
  readonly rule: Rule
  readonly size: number
  readonly reason: string
}

const say = ({ file, places, rule, size }: Finding, most: number): string =>
  `${file}: ${rule} ${size}${most > 0 ? `, at most ${most} here` : ""} (${places.slice(0, 8).join("; ")})`

/** What is wrong (beyond its exception, or without one), and which exceptions are larger than what is left. */
export const judge = (
  found: ReadonlyArray<Finding>,
  listed: ReadonlyArray<Exception>
): { readonly wrong: ReadonlyArray<string>; readonly slack: ReadonlyArray<string> } => {
  const keyOf = ({ file, rule }: { readonly file: string; readonly rule: Rule }) => `${rule} ${file}`
  const most = new Map(listed.map((exception) => [keyOf(exception), exception.size]))
  const sizes = new Map(found.map((finding) => [keyOf(finding), finding.size]))
  return {
    wrong: found
      .filter((finding) => finding.size > (most.get(keyOf(finding)) ?? 0))
      .map((finding) => say(finding, most.get(keyOf(finding)) ?? 0)),
    slack: listed
      .filter((exception) => (sizes.get(keyOf(exception)) ?? 0) < exception.size)
      .map((exception) => `${keyOf(exception)}: ${exception.size} listed, ${sizes.get(keyOf(exception)) ?? 0} left`)
  }
}

/** Files that share a rule and a reason, each with its size. */
const because = (rule: Rule, reason: string, sizes: Readonly<Record<string, number>>): ReadonlyArray<Exception> =>
  Object.entries(sizes).map(([file, size]) => ({ file, rule, size, reason }))

export const exceptions: ReadonlyArray<Exception> = [
  ...because("any", "an OpenAPI document as effect gives it, whose parts have no type", {
    "packages/api/src/example.ts": 1,
    "packages/api/src/tools.ts": 1
  }),
  ...because("any", "parsed JSON and untyped peers, read field by field", {
    "examples/add-a-tool/src/main.ts": 1,
    "packages/http/test/meta.test.ts": 2,
    "packages/http/test/refusals.test.ts": 4,
    "packages/quant/test/vectors.test.ts": 8,
    "packages/server/test/support/service.ts": 1
  }),
  ...because("cast", "what the types cannot see; told where the code is next rebuilt", {
    "packages/api/src/tools.ts": 4,
    "packages/core/src/messages/issue.ts": 1,
    "packages/postgres/src/lock.ts": 2,
    "packages/scripts/src/boundaries.ts": 1,
    "packages/server/src/settings.ts": 1,
    "packages/testing/src/memory/MemoryLedgerStore.ts": 1
  }),
  ...because("cast", "JSON or a peer without types, read by the test that made it", {
    "packages/bench/src/quant.ts": 7,
    "packages/core/test/call/toolCaller.test.ts": 1,
    "packages/core/test/messages/messages.test.ts": 2,
    "packages/core/test/tools/examples.test.ts": 1,
    "packages/postgres/test/dataDir.test.ts": 1,
    "packages/postgres/test/plans.test.ts": 1,
    "packages/postgres/test/support/holdDataDir.ts": 1,
    "packages/postgres/test/support/victim.ts": 1,
    "packages/quant/test/allocations.ts": 3,
    "packages/quant/test/backtest.test.ts": 4,
    "packages/quant/test/examples.test.ts": 2,
    "packages/quant/test/indicators.property.test.ts": 4,
    "packages/quant/test/measures.test.ts": 5,
    "packages/quant/test/memory.test.ts": 1,
    "packages/quant/test/options.property.test.ts": 1,
    "packages/quant/test/peers.test.ts": 2,
    "packages/quant/test/talib.test.ts": 1,
    "packages/quant/test/vectors.test.ts": 1,
    "packages/server/test/support/service.ts": 1
  }),
  ...because("file", "one suite of one subject", {
    "packages/postgres/src/migrations/0004_credit_reservations.ts": 727,
    "packages/quant/test/measures.test.ts": 472
  }),
  ...because("function", "a service or a computation whose parts share their state; to be broken into named parts", {
    "packages/core/src/credits/patientCommit.ts": 1,
    "packages/market-sim/src/path/plan.ts": 7,
    "packages/market-sim/src/options/chain.ts": 4,
    "packages/market-sim/src/options/stockUnderlying.ts": 20,
    "packages/postgres/src/credits/PgLedgerStore.ts": 95,
    "packages/quant/src/backtest/engine.ts": 31
  }),
  ...because("function", "one scenario, or a suite of many, told in one piece", {
    "packages/postgres/test/connecting.test.ts": 108,
    "packages/postgres/test/ledgerSessions.test.ts": 37,
    "packages/postgres/test/races.test.ts": 113,
    "packages/quant/test/talib.test.ts": 10,
    "packages/server/test/idempotency.test.ts": 4,
    "packages/server/test/killing.test.ts": 27,
    "packages/server/test/secrets.test.ts": 58
  }),
  ...because("line", "SQL or a call that reads as one line, and comments of code that is being rebuilt", {
    "packages/bench/src/call.ts": 1,
    "packages/bench/src/call/handwritten.ts": 1,
    "packages/bench/src/ledger.ts": 1,
    "packages/bench/src/market.ts": 1,
    "packages/bench/src/quant.ts": 2,
    "packages/bench/src/report.ts": 1,
    "packages/postgres/src/access/PgKeyStore.ts": 1,
    "packages/postgres/src/heartbeat.ts": 1,
    "packages/postgres/test/ledgerSessions.test.ts": 1,
    "packages/postgres/test/plans.test.ts": 2
  }),
  ...because("line", "the frozen text of a migration, which never changes again", {
    "packages/postgres/src/migrations/0001_access.ts": 2,
    "packages/postgres/src/migrations/0002_ledger.ts": 9,
    "packages/postgres/src/migrations/0003_request_windows.ts": 1,
    "packages/postgres/src/migrations/0004_credit_reservations.ts": 18
  }),
  ...because("line", "examples of doc comments, which run as they stand, and comments of code that is being rebuilt", {
    "packages/quant/src/backtest/strategy.ts": 2,
    "packages/quant/src/backtest/summary.ts": 1,
    "packages/quant/src/indicators/score.ts": 1,
    "packages/quant/src/levels.ts": 1,
    "packages/quant/src/options/implied.ts": 1,
    "packages/quant/src/resampling.ts": 1,
    "packages/quant/src/risk.ts": 2,
    "packages/quant/src/volatility/estimators.ts": 1
  }),
  ...because("name", "a namespace of functions around one class", {
    "packages/testing/src/ledger/auditor.ts": 1
  })
]
