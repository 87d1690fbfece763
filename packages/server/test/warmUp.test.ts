import { assert, it } from "@effect/vitest"
import { DerivedStore } from "@tapeline/core"
import { CoinPrices, EquityMarkets, hourMs, StoredEquities } from "@tapeline/core/market"
import { SimMarket } from "@tapeline/market-sim"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { warmUpMarket } from "../src/market/warmUp.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")

/** The reads of the market since the start of a test. */
const makeReads = () => ({
  /** For each ticker, the number of turns that other fibers had before it was read. */
  turnsBeforeTickers: new Array<number>(),
  longCandleReads: new Array<string>(),
  stockReads: new Array<string>()
})

/** Provides a simulated market of two coins, and records reads in `reads`. */
const layerRecorded = (reads: ReturnType<typeof makeReads>, getTurns: () => number) =>
  DerivedStore.layer.pipe(
    Layer.provideMerge(Layer.effectContext(Effect.gen(function*() {
      const context = yield* Effect.context<CoinPrices | EquityMarkets | StoredEquities>()
      const [prices, markets, stored] = yield* Effect.all([CoinPrices, EquityMarkets, StoredEquities])
      return context.pipe(
        Context.add(CoinPrices, {
          ...prices,
          coins: Effect.map(
            prices.coins,
            (found) => ({ ...found, value: found.value.filter(({ coin }) => ["BTC", "ETH"].includes(coin)) })
          ),
          ticker: (coin) => {
            reads.turnsBeforeTickers.push(getTurns())
            return prices.ticker(coin)
          },
          candleRange: (query) => {
            if (query.to - query.from > hourMs) reads.longCandleReads.push(query.coin)
            return prices.candleRange(query)
          }
        }),
        Context.add(EquityMarkets, {
          ...markets,
          market: (country) => {
            reads.stockReads.push(country)
            return markets.market(country)
          }
        }),
        Context.add(StoredEquities, {
          ...stored,
          indexHistory: (query) => {
            reads.stockReads.push(query.index)
            return stored.indexHistory({ ...query, bars: 1 })
          }
        })
      )
    }))),
    Layer.provideMerge(SimMarket.layer({ seed: 7 }))
  )

const runWarmUp = (market: "live" | "simulated") => Effect.andThen(TestClock.setTime(now), warmUpMarket(market, 0))

it.effect("after the warm-up, signals and scores of all coins need no candles of the past", () => {
  const reads = makeReads()
  return Effect.gen(function*() {
    yield* runWarmUp("simulated")
    assert.includeMembers(reads.longCandleReads, ["BTC", "ETH"])
    reads.longCandleReads.length = 0
    const derived = yield* DerivedStore
    const signals = yield* derived.signals({ hours: 720 })
    const scores = yield* derived.scores
    assert.isAbove(signals.value.signals.length, 0)
    assert.sameMembers(scores.value.map(({ coin }) => coin), ["BTC", "ETH"])
    assert.deepStrictEqual(reads.longCandleReads, [])
  }).pipe(Effect.provide(layerRecorded(reads, () => 0)))
})

it.effect("the warm-up reads stocks of a simulated market, but not of a live market", () => {
  const reads = makeReads()
  return Effect.gen(function*() {
    yield* runWarmUp("live")
    assert.deepStrictEqual(reads.stockReads, [])
    yield* runWarmUp("simulated")
    assert.deepStrictEqual(reads.stockReads, ["US", "VIX"])
  }).pipe(Effect.provide(layerRecorded(reads, () => 0)))
})

it.effect("the warm-up yields to other fibers between two coins", () => {
  const reads = makeReads()
  let turns = 0
  return Effect.gen(function*() {
    const other = yield* Effect.forkChild(Effect.forever(Effect.sync(() => void turns++)))
    yield* runWarmUp("live")
    yield* Fiber.interrupt(other)
    assert.lengthOf(reads.turnsBeforeTickers, 2)
    assert.isAbove(reads.turnsBeforeTickers[1]!, reads.turnsBeforeTickers[0]!)
  }).pipe(Effect.provide(layerRecorded(reads, () => turns)))
})
