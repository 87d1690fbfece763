import { assert, describe, it } from "@effect/vitest"
import { CoinPrices, dayMs, minuteMs, OrderBooks, readValue } from "@tapeline/core/market"
import { MarketStore, pointsKinds, subtractRanges } from "@tapeline/core/market/store"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { layerPostgres, PgMarketStore } from "@tapeline/postgres"
import { makeBinanceSpot, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { pollUntil } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

const program = fileURLToPath(new URL("./support/collector.ts", import.meta.url))
const fineMs = 5 * minuteMs
const ports = SimMarket.makePorts(makeWorld("binance"))
const prices = Context.get(ports, CoinPrices)
const coins = ["BTC", "ETH"]

const startCollector = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): ChildProcess =>
      spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const takeover = Effect.gen(function*() {
  const { environment } = yield* migratedPostgres
  const url = environment["DATABASE_URL"]!
  const store = Context.get(yield* Layer.build(Layer.provide(PgMarketStore, layerPostgres({ url }))), MarketStore)
  const wire = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks)))
  const began = Math.floor(Date.now() / fineMs) * fineMs
  const requestedQueries = () =>
    wire.requests.filter(({ query }) => query.get("interval") === "5m").map(({ query }) => query.toString())
  const readPulses = Effect.map(
    store.points({ kind: pointsKinds.fxRates, subjects: ["pulse"], from: began, to: began + dayMs }),
    (all) => all.get("pulse")
  )

  const first = yield* startCollector([url, wire.url, "first"])
  yield* pollUntil(
    "the first one collects",
    Effect.sync(() => requestedQueries().length),
    (count) => count >= 4,
    30_000
  )
  yield* startCollector([url, wire.url, "second"])
  // The second process runs for longer than a lease, but sends no requests to the source.
  const count = Effect.map(readPulses, (all) => all?.points.length ?? 0)
  const recordedCount = yield* count
  yield* pollUntil("the first one goes on", count, (now) => now >= recordedCount + 12, 30_000)
  assert.deepStrictEqual((yield* readPulses)?.record.sources, ["first"])
  first.kill("SIGKILL")

  const window = { from: began - 19 * dayMs, to: began }
  const gaps = store.gaps({ kind: pointsKinds.candles, subjects: coins, ...window })
  const missing = Effect.map(
    gaps,
    (all) => coins.map((coin) => all.get(coin)!.missing.length + all.get(coin)!.lost.length)
  )
  yield* pollUntil("the second one fills all", missing, (left) => left.every((count) => count === 0), 45_000)
  yield* pollUntil("the second one goes on", readPulses, (all) => all?.record.sources.length === 2, 10_000)

  const candles = yield* store.points({ kind: pointsKinds.candles, subjects: coins, ...window })
  for (const coin of coins) {
    const known = yield* readValue(prices.candleRange({ coin, timeframe: "5m", ...window }))
    const storedRows = candles.get(coin)!.points.map(({ source: _, ...row }) => row)
    assert.deepStrictEqual(storedRows, known.map(({ closed: _, ...row }) => row))
  }
  // Only the requests that were in progress when the first process was killed may be repeated.
  assert.isAtMost(requestedQueries().length - new Set(requestedQueries()).size, coins.length + 1)

  // Each scheduled time was recorded once, or is reported as lost because no process was the leader.
  const pulsePoints = (yield* readPulses)!
  const { contiguousUntil, since } = pulsePoints.record
  const lostGaps = pulsePoints.gaps.lost
  const covered = subtractRanges([{ from: since!, to: contiguousUntil }], lostGaps)
  const due = covered.flatMap(({ from, to }) => Array.from({ length: (to - from) / 200 }, (_, i) => from + i * 200))
  const times = pulsePoints.points.filter(({ time }) => time < contiguousUntil).map(({ time }) => time)
  assert.deepStrictEqual(times, due)
  const handoverIndex = pulsePoints.points.findIndex(({ source }) => source === "second")
  const [end, begin] = [pulsePoints.points[handoverIndex - 1]!, pulsePoints.points[handoverIndex]!]
  assert.strictEqual(end.source, "first")
  assert.deepInclude(lostGaps, { from: end.time + 200, to: begin.time })

  // If the previous leader continues, its writes are rejected.
  const fence = { source: "binance", epoch: 1 }
  const writeWithOldFence = store.writePoints({ kind: pointsKinds.fxRates, fence, series: [] })
  assert.strictEqual((yield* Effect.flip(writeWithOldFence))._tag, "Superseded")
})

describe("two collector processes", () => {
  it.live(
    "replace a killed leader, fill every gap that the source can fill, and report the others as lost",
    () => Effect.scoped(takeover),
    120_000
  )
})
