import { assert, it } from "@effect/vitest"
import { DerivedStore, Recomputation } from "@tapeline/core"
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { temporaryFolder } from "../support/process.ts"
import { comparedTools } from "./comparedTools.ts"
import { runWeek } from "./runWeek.ts"
import { assertSameResult } from "./sameResult.ts"
import { servedPaths } from "./weekServers.ts"
import { callTools } from "./weekTools.ts"

ignorePaths(...servedPaths)

// Whether the whole week is tested. If only a part of the week is tested, this file takes about a minute.
const end = Date.parse("2026-11-20T15:00:00.000Z")
const begin = end - 7 * dayMs
const outage = { from: end - 40 * hourMs, to: end - 34 * hourMs }
const coins = isFullRun ? ["BTC", "ETH", "SOL", "XRP"] : ["BTC", "ETH"]

const every = (stepMs: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / stepMs) }, (_, i) => from + i * stepMs)

/** The times at which collectors run. The clock jumps from one collection time to the next. */
const windows = isFullRun
  ? [...every(30 * minuteMs, begin, end - 3 * hourMs), ...every(5 * minuteMs, end - 3 * hourMs, end), end]
  : [
    ...every(12 * hourMs, begin, end - 42 * hourMs),
    ...every(3 * hourMs, outage.from, outage.to + 1),
    ...[30, 24, 18, 12, 6, 4, 3, 2, 1].map((hours) => end - hours * hourMs),
    // The exchange publishes past data a quarter of an hour late.
    ...[15, 10, 5, 0].map((minutes) => end - minutes * minuteMs)
  ]

/** Returns, by name, the digests of the derived values of complete days before the newest day. */
const derivedDigests = Effect.gen(function*() {
  const { parts, recompute } = yield* Recomputation
  const to = Math.floor(end / dayMs) * dayMs
  const all = yield* parts({ from: to - 4 * dayMs, to })
  const derived = yield* Effect.forEach(
    all,
    (part) => Effect.map(recompute(part), ({ days, digest }) => ({ part, days, digest }))
  )
  const nameOf = ({ part: { rule, series } }: typeof derived[number]) => `${rule} ${series}`
  return derived.toSorted((a, b) => nameOf(a) < nameOf(b) ? -1 : 1)
})

const week = Effect.gen(function*() {
  const dir = yield* temporaryFolder
  const restartAt = end - 60 * hourMs
  const { ports, process: collected } = yield* runWeek({
    dataDir: join(dir, "db"),
    coins,
    end,
    outage,
    restartAt,
    windows
  })
  const market = Layer.succeedContext(ports)
  const direct = Layer.provideMerge(Layer.fresh(DerivedStore.layer), market)
  const layerStored = Layer.merge(market, Layer.succeedContext(collected))
  const [its, storedResults] = [
    yield* callTools(direct, comparedTools, end),
    yield* callTools(layerStored, comparedTools, end)
  ]
  assert.deepStrictEqual([...storedResults.keys()], [...its.keys()])
  for (const [question, answer] of storedResults) assertSameResult(question, answer, its.get(question))

  const recomputed = (layer: typeof market | typeof layerStored) =>
    Effect.provide(derivedDigests, Layer.fresh(Layer.provide(Recomputation.layer, layer)))
  const digests = yield* recomputed(layerStored)
  assert.isAbove(digests.reduce((sum, { days }) => sum + days, 0), 4 * coins.length)
  assert.deepStrictEqual(digests, yield* recomputed(market))
})

it.live(
  "tools return the market's data from a week of collection, including an outage and a restart",
  () => Effect.scoped(week),
  isFullRun ? 3_000_000 : 1_500_000
)
