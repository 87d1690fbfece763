// Tests that on-chain trades of the GeckoTerminal adapter reach the stored port unchanged.
import { assert, it } from "@effect/vitest"
import { dayMs, hourMs, minuteMs, OnchainFlows, readValue } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { getOnchain } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callHandler } from "@tapeline/testing/toolCalls"
import { type FakeServer, makeFakeServer, makeGeckoTerminal } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { makeDexActivityCollector } from "../../src/geckoTerminal/dexActivityCollector.ts"
import {
  coinDocument,
  layerCollectors,
  layerGeckoTrades,
  MarketHealth,
  SourceHealth,
  storedOnchainFlows,
  trackedCoins
} from "../../src/index.ts"
import { dexWorld } from "../support/dexCoins.ts"
import { toolsOf } from "../support/toolsOf.ts"

const stepMs = 5 * minuteMs
const start = Date.parse("2026-11-20T12:01:00.000Z")
// On the tested day, AAVE trades slowly enough for its pools to report most of a day.
const { all, coinTokens, ports, prices } = dexWorld(["PEPE", "AAVE"], start)
const kind = pointsKinds.dexActivity

/** Advances the clock in small steps, so that open requests finish within each step. */
const pass = Effect.fnUntraced(function*(server: FakeServer, ms: number, step = 30_000) {
  const turn = Effect.promise(() => setImmediate())
  for (let passedMs = 0; passedMs < ms; passedMs += step) {
    yield* TestClock.adjust(step)
    for (let turns = 0; turns < 40 || server.openRequests() > 0; turns++) yield* turn
  }
})

const pace = { leaseMs: hourMs, retryPauseMs: stepMs }

const begin = Effect.fnUntraced(function*(server: FakeServer) {
  const gecko = layerGeckoTrades({
    baseUrl: server.url,
    limits: [],
    retryPolicy: { timeoutMs: hourMs, callTimeoutMs: dayMs, maxOpenMs: minuteMs }
  })
  const coins = trackedCoins.filter(({ coin }) => coin === "PEPE" || coin === "AAVE")
  const collecting = Layer.unwrap(
    Effect.map(makeDexActivityCollector({ coins, tokens: coinTokens }), (one) => layerCollectors([one], { pace }))
  )
  const layer = collecting.pipe(
    Layer.provide(gecko),
    Layer.provide(MarketHealth.layer),
    Layer.provide(SourceHealth.layer)
  )
  yield* Layer.build(layer)
})

type Flows = OnchainFlows["Service"]

/**
 * Limits the simulated market to the recorded buckets. A single trade has only one side, but the simulated bucket has
 * both, so the recorded bucket is used.
 */
const asRecorded = (storedFlows: Flows): Flows => ({
  dexActivity: Effect.fnUntraced(function*(query) {
    const [{ value }, right] = yield* Effect.all([storedFlows.dexActivity(query), ports.flows.dexActivity(query)])
    const one = new Map(value.points.map((point) => [point.time, point]))
    const isGap = (time: number) => value.gaps.some(({ from, to }) => from <= time && time < to)
    const newest = value.points.at(-1)?.time ?? -Infinity
    const points = right.value.points.flatMap((point) =>
      isGap(point.time) || point.time > newest ? [] : [point.trades < 2 ? one.get(point.time)! : point]
    )
    return { ...right, value: { ...right.value, coverage: value.coverage, gaps: value.gaps, points } }
  })
})

/** Returns the result of `get_onchain`, with five digits, because the source rounds dollars. */
const onchainOver = (flows: Flows, coin: string) =>
  Effect.map(
    Effect.provide(
      callHandler(getOnchain, { coin }),
      Layer.provide(toolsOf([getOnchain]), Layer.succeedContext(Context.add(all, OnchainFlows, flows)))
    ),
    ({ as_of: _, source: __, ...fields }): unknown =>
      JSON.parse(JSON.stringify(fields, (_key, value) => typeof value === "number" ? value.toPrecision(5) : value))
  )

const writeCoins = Effect.gen(function*() {
  const store = yield* MarketStore
  const source = "coins"
  const leadership = yield* store.acquireLeadership({ source, holder: "test", ttlMs: minuteMs })
  if (leadership._tag !== "Leads") return assert.fail("another process leads")
  const { fence } = leadership
  const documents = yield* Effect.forEach(
    ["PEPE", "AAVE"],
    (key) =>
      Effect.map(
        readValue(prices.coin(key)),
        ({ coin: _, ...facts }) => coinDocument.encodeRow({ key, time: start, source }, facts)
      )
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents })
})

it.effect.runIf(isFullRun)(
  "records five-minute totals, backfills what pools still return, and marks the rest as lost",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* makeFakeServer(makeGeckoTerminal(ports))
      yield* writeCoins
      yield* begin(server)
      yield* pass(server, 30 * minuteMs)
      const flows = Context.get(yield* Layer.build(storedOnchainFlows), OnchainFlows)
      const compared = Effect.fnUntraced(function*(coin: string, from: number, to: number) {
        const query = { coin, stepMs, from, to }
        const { coverage, gaps, points } = yield* readValue(flows.dexActivity(query))
        assert.strictEqual(coverage, "largest_pools")
        const right = new Map((yield* readValue(ports.flows.dexActivity(query))).points.map((one) => [one.time, one]))
        for (const { buyUsd, sellUsd, time, trades } of points) {
          const known = right.get(time)!
          if (known.trades < 2) continue
          assert.strictEqual(trades, known.trades, new Date(time).toISOString())
          assert.closeTo(buyUsd, known.buyUsd, 1e-6 * known.buyUsd + 1e-6)
          assert.closeTo(sellUsd, known.sellUsd, 1e-6 * known.sellUsd + 1e-6)
        }
        return { gaps, times: points.map(({ time }) => time) }
      })
      // On a busy machine, a request may begin after `pass` ends, so the comparison is repeated until the newest
      // minutes have arrived.
      const compareWhole = Effect.fnUntraced(function*(coin: string, from: number, to: number) {
        for (let steps = 0; steps < 20; steps++) {
          const activity = yield* compared(coin, from, to)
          if (activity.gaps.length === 0) return activity
          yield* pass(server, 30_000)
        }
        return yield* compared(coin, from, to)
      })
      const first = Math.floor(start / stepMs) * stepMs
      const reportedUntil = first + 25 * minuteMs
      // A pool returns its newest 300 trades. These trades cover six hours of AAVE (about 400 trades on all pools), but
      // not six hours of PEPE (3,900 trades).
      const quietActivity = yield* compareWhole("AAVE", first - 6 * hourMs, reportedUntil)
      assert.deepStrictEqual([quietActivity.gaps, quietActivity.times.length], [[], 77])
      const busy = yield* compared("PEPE", first - 6 * hourMs, reportedUntil)
      assert.isBelow(busy.times.length, 77)
      assert.include(busy.times, first)
      assert.deepStrictEqual(busy.gaps.map(({ from }) => from), [first - 6 * hourMs])

      server.fail({ _tag: "reset" })
      yield* pass(server, 2 * hourMs)
      server.heal()
      yield* pass(server, 20 * minuteMs)
      const end = first + 2 * hourMs + 45 * minuteMs
      assert.deepStrictEqual((yield* compareWhole("AAVE", first - 6 * hourMs, end)).gaps, [])
      const { gaps, times } = yield* compared("PEPE", first, end)
      assert.lengthOf(gaps, 1)
      assert.isTrue(gaps[0]!.from >= reportedUntil && gaps[0]!.to < end, JSON.stringify(gaps))
      assert.isTrue(times.every((time) => time < gaps[0]!.from || time >= gaps[0]!.to))
      for (const coin of ["AAVE", "PEPE"]) {
        assert.deepStrictEqual(yield* onchainOver(flows, coin), yield* onchainOver(asRecorded(flows), coin))
      }
      const gapError = yield* Effect.flip(flows.dexActivity({ coin: "PEPE", stepMs, ...gaps[0]! }))
      assert.strictEqual(gapError._tag === "NoData" ? gapError.reason.key : gapError._tag, "none_recorded")
      // Trades that no pool returns any more count as lost one day later, even if the source is unavailable.
      server.fail({ _tag: "reset" })
      yield* pass(server, dayMs, 10 * minuteMs)
      const store = yield* MarketStore
      const { lost: lostGaps, missing } = (yield* store.gaps({ kind, subjects: ["PEPE"], from: first, to: end })).get(
        "PEPE"
      )!
      assert.deepStrictEqual([lostGaps, missing], [gaps.map(({ from, to }) => ({ from, to })), []])
    }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)),
  120_000
)

const { address: pepe } = coinTokens.find(({ coin }) => coin === "PEPE")!

const withFasterBlocks = (text: string, second: string): string =>
  text.includes(`"${pepe}"`) ? text.replaceAll(/("block_timestamp":")[^"]*/gu, `$1${second}`) : text

it.effect(
  "reports that trades are too fast if a coin's pools return less than one bucket",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* makeFakeServer(makeGeckoTerminal(ports))
      yield* writeCoins
      yield* begin(server)
      yield* Effect.forEach(Array.from({ length: 6 }), () =>
        Effect.gen(function*() {
          const second = new Date(yield* Clock.currentTimeMillis).toISOString()
          server.fail({ _tag: "rewritten", rewrite: (text) => withFasterBlocks(text, second) })
          yield* pass(server, 5 * minuteMs)
        }), { discard: true })
      const flows = Context.get(yield* Layer.build(storedOnchainFlows), OnchainFlows)
      const query = { stepMs, from: start - 2 * dayMs, to: start + 30 * minuteMs }
      const failed = yield* Effect.flip(flows.dexActivity({ coin: "PEPE", ...query }))
      assert.strictEqual(failed._tag === "NoData" ? failed.reason.key : failed._tag, "none_trades_too_fast")
      const quietActivity = yield* readValue(flows.dexActivity({ coin: "AAVE", ...query }))
      assert.isAbove(quietActivity.points.length, 70)
    }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)),
  120_000
)
