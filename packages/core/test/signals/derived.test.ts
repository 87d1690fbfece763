import { assert, describe, it } from "@effect/vitest"
import {
  CoinPrices,
  computeHits,
  DerivedStore,
  getReturnAfter,
  hitHorizons,
  hourMs,
  readValue,
  signalRule,
  type SignalWithOutcome,
  Toolbox
} from "@tapeline/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeFakeMarket, now } from "../tools/fakeMarket.ts"
import { makeRunOnEngine } from "../tools/runOnEngine.ts"

/** The tests read derived data directly, so the engine has no tools. */
const withTools = makeRunOnEngine(Toolbox.layer([]))

const hour = Math.floor(now / hourMs) * hourMs
const coin = "ETH"

const settledBy = (time: number) => ({ result }: SignalWithOutcome): boolean =>
  result !== null && result.closedAt <= time

const withoutResult = (signal: SignalWithOutcome): SignalWithOutcome => ({ ...signal, result: null })

describe("derived data", () => {
  it.effect("keeps past scores, fear and greed, signals, outcomes and divergences when future data changes", () =>
    Effect.gen(function*() {
      const read = Effect.gen(function*() {
        const derived = yield* DerivedStore
        const scores = yield* readValue(derived.scoreHistory({ coin, hours: 200 }))
        const { signals } = yield* readValue(derived.signals({ hours: 200 }))
        const { divergences } = yield* readValue(derived.divergences(coin))
        const fearGreed = yield* readValue(derived.fearGreed(10))
        return { scores, signals, divergences, fearGreed }
      })
      // The prices of the two markets differ during the last 40 hours, from a time between two full hours on.
      const leftAt = hour - 40 * hourMs + 7 * 60_000
      const known = Math.floor(leftAt / hourMs) * hourMs
      const one = yield* withTools(read)
      const other = yield* withTools(read, { market: makeFakeMarket({ alteredFrom: leftAt }) })

      assert.notDeepEqual(other.scores.at(-1), one.scores.at(-1))
      const knownBefore = <A extends { readonly time: number }>(points: ReadonlyArray<A>) =>
        points.filter(({ time }) => time <= known)
      assert.isAbove(knownBefore(one.scores).length, 150)
      assert.deepStrictEqual(knownBefore(other.scores), knownBefore(one.scores))
      assert.isAbove(knownBefore(one.fearGreed).length, 5)
      assert.deepStrictEqual(knownBefore(other.fearGreed), knownBefore(one.fearGreed))

      // For signals that opened before the difference, the entry price is the open of the next candle, which is equal
      // in both markets.
      const opened = (signals: ReadonlyArray<SignalWithOutcome>) => signals.filter(({ openedAt }) => openedAt <= known)
      assert.deepStrictEqual(opened(other.signals).map(withoutResult), opened(one.signals).map(withoutResult))
      const settled = one.signals.filter(settledBy(known))
      assert.isAbove(settled.length, 0)
      assert.deepStrictEqual(other.signals.filter(settledBy(known)), settled)
      assert.deepStrictEqual(
        other.divergences.filter(({ confirmedAt }) => confirmedAt <= known),
        one.divergences.filter(({ confirmedAt }) => confirmedAt <= known)
      )
    }))

  it.effect("does not depend on earlier requests, or on how the clock reached the hour", () =>
    Effect.gen(function*() {
      const market = makeFakeMarket()
      const read = Effect.gen(function*() {
        const derived = yield* DerivedStore
        return {
          history: yield* readValue(derived.scoreHistory({ coin, hours: 100 })),
          score: yield* readValue(derived.score(coin)),
          scores: yield* readValue(derived.scores),
          coil: yield* readValue(derived.coil(coin)),
          regime: yield* readValue(derived.regime),
          signals: yield* readValue(derived.signals({ hours: 72 })),
          hitRates: yield* readValue(derived.hitRates({ coin })),
          fearGreed: yield* readValue(derived.fearGreed(30))
        }
      })
      const fresh = yield* withTools(read, { market })
      // The score is read every hour, so that each day is also read before it is complete.
      const pollDerived = yield* withTools(
        Effect.gen(function*() {
          const derived = yield* DerivedStore
          for (let time = hour - 30 * hourMs; time <= hour; time += hourMs) {
            yield* TestClock.setTime(time)
            yield* readValue(derived.scores)
            yield* readValue(derived.regime)
            yield* readValue(derived.signals({ hours: 5 }))
          }
          yield* TestClock.setTime(now)
          yield* readValue(derived.scoreHistory({ coin, hours: 3 }))
          return yield* read
        }),
        { market }
      )
      assert.deepStrictEqual(pollDerived, fresh)
      assert.deepStrictEqual(fresh.history.at(-1), fresh.score.hour)
      const back = yield* withTools(
        Effect.gen(function*() {
          yield* read
          yield* TestClock.setTime(now - 26 * hourMs)
          const derived = yield* DerivedStore
          return yield* readValue(derived.scoreHistory({ coin, hours: 10 }))
        }),
        { market }
      )
      assert.deepStrictEqual(back, fresh.history.slice(-36, -26))
    }))

  it.effect("returns the newest stored hour while storage lags, and caches no wrong value", () => {
    // At 08:20 UTC, the last hour and the payment of 08:00 are not stored yet. At 08:40 UTC, the hour and the payment
    // are stored.
    const afterPayment = Math.floor(now / (8 * hourMs)) * 8 * hourMs + 20 * 60_000
    const market = makeFakeMarket({ lagMs: (time) => time <= afterPayment ? 30 * 60_000 : 0 })
    const read = Effect.gen(function*() {
      const derived = yield* DerivedStore
      return {
        score: yield* readValue(derived.score(coin)),
        scores: yield* readValue(derived.scores),
        regime: yield* readValue(derived.regime),
        coil: yield* readValue(derived.coil(coin)),
        signals: yield* readValue(derived.signals({ hours: 48 }))
      }
    })
    const lastClosedTime = afterPayment - 20 * 60_000
    return withTools(
      Effect.gen(function*() {
        const laggingRates = yield* read
        const before = yield* withTools(read, { time: afterPayment - hourMs })
        assert.strictEqual(laggingRates.score.hour.time, lastClosedTime - hourMs)
        assert.deepStrictEqual(laggingRates.score, before.score)
        assert.deepStrictEqual(laggingRates.scores, before.scores)
        assert.deepStrictEqual(laggingRates.regime, before.regime)
        const results = (signals: ReadonlyArray<SignalWithOutcome>) =>
          signals.filter(({ openedAt }) => openedAt > lastClosedTime - 40 * hourMs)
        assert.deepStrictEqual(results(laggingRates.signals.signals), results(before.signals.signals))
        yield* TestClock.setTime(afterPayment + 20 * 60_000)
        const newestTime = yield* read
        assert.strictEqual(newestTime.score.hour.time, lastClosedTime)
        assert.deepStrictEqual(newestTime, yield* withTools(read, { time: afterPayment + 20 * 60_000 }))
      }),
      { market, time: afterPayment }
    )
  })

  it.effect("has outcomes that can be recomputed from the candles", () =>
    withTools(Effect.gen(function*() {
      const derived = yield* DerivedStore
      const market = yield* CoinPrices
      const { signals, until } = yield* readValue(derived.signals({ hours: 720 }))
      assert.isAbove(signals.length, 30)
      const outcomes = new Set<string>()
      for (const { coin, entry, openedAt, result, side, stop, take } of signals) {
        const candles = yield* readValue(market.candleRange({
          coin,
          timeframe: "1h",
          from: openedAt,
          to: Math.min(until, openedAt + signalRule.maxHours * hourMs)
        })).pipe(Effect.catchTag("NoData", () => Effect.succeed([])))
        if (candles.length > 0) assert.strictEqual(candles[0]!.open, entry)
        const reachedPrices = candles.map(({ high, low }) =>
          side === "long" ? { take: high >= take, stop: low <= stop } : { take: low <= take, stop: high >= stop }
        )
        const first = reachedPrices.findIndex((reach) => reach.take || reach.stop)
        outcomes.add(result?.outcome ?? "running")
        if (result === null) {
          assert.strictEqual(first, -1)
          assert.isAbove(openedAt + signalRule.maxHours * hourMs, until)
        } else if (result.outcome === "timeout") {
          assert.strictEqual(first, -1)
          assert.strictEqual(candles.length, signalRule.maxHours)
          assert.strictEqual(result.exit, candles.at(-1)!.close)
        } else {
          assert.strictEqual(result.outcome, reachedPrices[first]!.stop ? "stop" : "take")
          assert.strictEqual(result.closedAt, candles[first]!.time + hourMs)
        }
        if (result !== null) {
          assert.closeTo(result.percent, (side === "long" ? 1 : -1) * (result.exit / entry - 1) * 100, 1e-12)
        }
      }
      assert.isAtLeast(outcomes.size, 3)
    })))

  it.effect("opens a signal at the open of the running candle, not at the sampled price", () =>
    Effect.gen(function*() {
      const options = { market: makeFakeMarket({ sampledPriceFactor: 1.001 }) }
      const signals = (hours: number) =>
        Effect.flatMap(DerivedStore, (derived) => readValue(derived.signals({ hours })))
      const known = (yield* withTools(signals(200), options)).signals.filter(({ result }) => result !== null)
      for (const signal of known.slice(-3)) {
        const time = signal.openedAt + 20 * 60_000
        const [running] = (yield* withTools(signals(1), { ...options, time })).signals.filter(({ coin }) =>
          coin === signal.coin
        )
        assert.deepStrictEqual(withoutResult(running!), withoutResult(signal))
        assert.isNull(running!.result)
      }
    }))

  it.effect("has hit rates that match the signals, and overall rates of all coins", () =>
    withTools(Effect.gen(function*() {
      const derived = yield* DerivedStore
      const market = yield* CoinPrices
      const overall = yield* readValue(derived.hitRates({}))
      const { signals } = yield* readValue(derived.signals({ hours: 90 * 24 }))
      assert.strictEqual(overall.signals, signals.length)
      const returns = new Map(hitHorizons.map((horizon) => [horizon, new Array<number>()]))
      for (const signal of signals) {
        const candles = yield* readValue(market.candleRange({
          coin: signal.coin,
          timeframe: "1h",
          from: signal.openedAt,
          to: Math.min(hour, signal.openedAt + 24 * hourMs)
        })).pipe(Effect.catchTag("NoData", () => Effect.succeed([])))
        for (const horizon of hitHorizons) {
          const value = getReturnAfter(signal, candles, horizon)
          if (value !== undefined) returns.get(horizon)!.push(value)
        }
      }
      for (const { meanReturnPct, ...hits } of overall.horizons) {
        const { meanReturnPct: expected, ...same } = computeHits(hits.hours, returns.get(hits.hours)!)
        assert.deepStrictEqual(hits, same)
        assert.closeTo(meanReturnPct!, expected!, 1e-9)
      }
      const youngCoinRates = yield* readValue(derived.hitRates({ coin: "BABY" }))
      assert.isNull(youngCoinRates.horizons[0]!.hitRate)
    })))

  it.effect("scores a coin without a perpetual on its other factors", () =>
    withTools(
      Effect.gen(function*() {
        const derived = yield* DerivedStore
        const { hour } = yield* readValue(derived.score("ADA"))
        assert.closeTo(hour.coverage, 0.8, 1e-12)
        assert.isNull(hour.factors[6])
        assert.isNull((yield* readValue(derived.coil("ADA"))).fuel.score)
      }),
      { market: makeFakeMarket({ withoutPerpetual: ["ADA"] }) }
    ))

  it.effect("has no score for a stablecoin, and rejects an unknown coin", () =>
    withTools(Effect.gen(function*() {
      const derived = yield* DerivedStore
      assert.strictEqual((yield* Effect.flip(derived.score("USDT")))._tag, "NoData")
      assert.strictEqual((yield* Effect.flip(derived.coil("NOPE")))._tag, "UnknownSymbol")
      assert.strictEqual((yield* Effect.flip(derived.hitRates({ coin: "NOPE" })))._tag, "UnknownSymbol")
    })))
})
