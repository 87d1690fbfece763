import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, dayMs, hourMs, type Interval, minuteMs } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { makeBybitMarket, makeFakeServer, makeOkxMarket } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  BybitMarket,
  bybitPerpetualVenue,
  layerBybitMarket,
  layerCollectors,
  layerOkxMarket,
  MarketHealth,
  OkxMarket,
  okxPerpetualVenue,
  type SeriesCollector,
  SourceHealth,
  trackedCoins
} from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const fineMs = 5 * minuteMs
const now = Date.parse("2026-11-20T12:30:00.000Z")
const kind = pointsKinds.takerFlow
const subjects = ["AAA", "BBB"]

const ports = portsOfFewCoins
const served = { derivatives: Context.get(ports, CoinDerivatives), prices: Context.get(ports, CoinPrices) }
const coins = trackedCoins.filter(({ coin }) => coin === "BTC")

it.effect("returns the newest rows from Bybit and OKX if an interval exceeds one response", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const servers = [
      yield* makeFakeServer(makeBybitMarket(served)),
      yield* makeFakeServer(makeOkxMarket(served))
    ] as const
    const layer = Layer.merge(
      layerBybitMarket({ baseUrl: servers[0].url }),
      layerOkxMarket({ baseUrl: servers[1].url })
    )
    const context = yield* Layer.build(Layer.provide(layer, SourceHealth.layer))
    const bybit = bybitPerpetualVenue(Context.get(context, BybitMarket), coins)
    const okx = okxPerpetualVenue(Context.get(context, OkxMarket), coins)
    const hourAgo = now - hourMs
    const long = { from: hourAgo - 30 * dayMs, to: hourAgo }
    const reads = [
      [bybit.history("BTC", long), 500 * fineMs],
      [bybit.fundingPayments("BTC", long), 7 * dayMs],
      [okx.history("BTC", long), 98 * fineMs],
      [okx.fundingPayments("BTC", long), 3 * dayMs],
      [okx.takerFlow("BTC", long), 98 * fineMs]
    ] as const
    for (const [ask, mostMs] of reads) {
      const result = yield* ask
      assert.deepStrictEqual([result?.since, result?.until], [hourAgo - mostMs, hourAgo])
      const times = result?.rows.map(({ time }) => time) ?? []
      assert.isNotEmpty(times)
      assert.isTrue(times.every((time) => time >= hourAgo - mostMs && time < hourAgo))
      assert.isAtLeast(times.at(-1) ?? 0, hourAgo - 8 * hourMs)
    }
  })))

it.effect("begins OKX's available payments at a whole hour, so that no part of an hour stays missing", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const server = yield* makeFakeServer(makeOkxMarket(served))
    const layer = Layer.provide(layerOkxMarket({ baseUrl: server.url }), SourceHealth.layer)
    const okx = okxPerpetualVenue(Context.get(yield* Layer.build(layer), OkxMarket), coins)
    const from = Math.floor(now / hourMs) * hourMs - 89 * dayMs
    const payments = yield* okx.fundingPayments("BTC", { from, to: from + dayMs })
    assert.deepStrictEqual([payments?.since, payments?.until], [from + hourMs, from + dayMs])
  })))

/** A collector of a venue that keeps data for two days and returns at most eight hours per response. */
const makeForgetfulCollector = (requestedIntervals: Array<Interval>): SeriesCollector => ({
  _tag: "series",
  source: "model",
  name: "flow",
  kind,
  everyMs: fineMs,
  offsetMs: 0,
  rowTimes: "buckets",
  subjects: Effect.succeed(subjects.map((subject) => ({ subject, from: 0 }))),
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: 6 * dayMs,
    maxIntervalMs: dayMs,
    fetch: (_, { from, to }) =>
      Effect.map(Clock.currentTimeMillis, (currentTime) => {
        const since = Math.max(from, currentTime - 2 * dayMs, to - 8 * hourMs)
        requestedIntervals.push({ from, to })
        return since >= to ? { source: "model", rows: [], until: from } : {
          source: "model",
          since,
          until: to,
          rows: Array.from({ length: (to - since) / fineMs }, (_, i) => (
            { time: since + i * fineMs, buyUsd: 1, sellUsd: 1 }
          ))
        }
      })
  }
})

it.effect("requests older rows at once while there are any, and then only with new rows", () => {
  const requestedIntervals: Array<Interval> = []
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    yield* Effect.gen(function*() {
      const store = yield* MarketStore
      const missing = Effect.map(
        store.gaps({ kind, subjects, from: now - 2 * dayMs + fineMs, to: now }),
        (gaps) => subjects.flatMap((subject) => gaps.get(subject)?.missing ?? [])
      )
      yield* TestClock.adjust(minuteMs)
      assert.deepStrictEqual(yield* missing, [])
      // Older missing data is requested only together with newly due rows.
      const before = requestedIntervals.length
      yield* TestClock.adjust(3 * minuteMs)
      assert.lengthOf(requestedIntervals, before)
      yield* TestClock.adjust(20 * minuteMs)
      assert.isAbove(requestedIntervals.length, before)
      assert.isBelow(requestedIntervals.length - before, 100)
    }).pipe(Effect.provide(
      layerCollectors([makeForgetfulCollector(requestedIntervals)]).pipe(
        Layer.provideMerge(MarketHealth.layer),
        Layer.provide(SourceHealth.layer),
        Layer.provideMerge(MemoryMarketStore)
      )
    ))
  })
})
