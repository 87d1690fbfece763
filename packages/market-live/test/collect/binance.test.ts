import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, dayMs, hourMs, minuteMs, OrderBooks, readValue } from "@tapeline/core/market"
import { AutoAdvancingClock, makeBinanceFutures, makeBinanceSpot, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { binanceLiquidationsCollector } from "../../src/binance/liquidationsCollector.ts"
import { completeUntil } from "../../src/collect/completeUntil.ts"
import { foldStreamEvents, type StreamEvent } from "../../src/collect/streamBatch.ts"
import {
  type BinanceContract,
  BinancePerpetuals,
  binancePerpetualVenue,
  BinanceSpot,
  binanceSpotVenue,
  coinDocument,
  type Collector,
  layerBinancePerpetuals,
  layerBinanceSpot,
  perpetualCollectors,
  type SeriesCollector,
  SourceHealth,
  spotCollectors,
  tickerDocument,
  trackedCoins
} from "../../src/index.ts"
import { paymentsCompleteUntil } from "../../src/perpetuals/PerpetualVenue.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const fineMs = 5 * minuteMs
const at = Date.parse("2026-11-20T12:30:00.000Z")
const now = at + 4_000
const all = portsOfFewCoins
const prices = Context.get(all, CoinPrices)
const derivatives = Context.get(all, CoinDerivatives)
const coins = trackedCoins.filter(({ coin }) => coin === "BTC" || coin === "ETH")

const overWire = <A, E>(use: (collectors: ReadonlyMap<string, Collector>) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.gen(function*() {
    const spot = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(all, OrderBooks)))
    const futures = yield* makeFakeServer(makeBinanceFutures({ derivatives, prices }))
    const layer = Layer.merge(
      layerBinanceSpot({ baseUrl: spot.url }),
      layerBinancePerpetuals({ baseUrl: futures.url })
    ).pipe(Layer.provide(SourceHealth.layer))
    const context = yield* Layer.build(layer)
    const collectors = [
      ...spotCollectors([binanceSpotVenue(Context.get(context, BinanceSpot))], coins, { candleDays: 30, priceDays: 2 }),
      ...perpetualCollectors([binancePerpetualVenue(Context.get(context, BinancePerpetuals), coins)], {
        derivativeDays: 10
      })
    ]
    return yield* use(new Map(collectors.map((one) => [one.name, one])))
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, (ms) => ms >= 10_000)))

const series = (collectors: ReadonlyMap<string, Collector>, name: string): SeriesCollector => {
  const collector = collectors.get(name)
  if (collector?._tag !== "series") throw new Error(`there is no series ${name}`)
  return collector
}

it.live("backfills candles, minute prices, funding payments and taker flow as the market has them", () =>
  overWire((collectors) =>
    Effect.gen(function*() {
      const candles = series(collectors, "candles")
      const { listedAt } = yield* readValue(prices.coin("BTC"))
      const subjects = yield* candles.subjects
      assert.deepStrictEqual(subjects.map(({ subject }) => subject), ["BTC", "ETH"])
      assert.strictEqual(subjects[0]!.from, Math.floor(listedAt / minuteMs) * minuteMs)

      const hours = { from: at - 3 * hourMs, to: at }
      const hourCandles = yield* candles.backfill!.fetch("BTC", hours)
      const known = yield* readValue(prices.candleRange({ coin: "BTC", timeframe: "5m", ...hours }))
      assert.deepStrictEqual(hourCandles, {
        source: "binance",
        until: at,
        rows: known.map(({ closed: _, ...row }) => row)
      })

      const minutes = { from: at - hourMs, to: at + minuteMs }
      const minutesRead = yield* series(collectors, "prices").backfill!.fetch("BTC", minutes)
      const pastMinutes = prices.minutes({ coins: ["BTC"], after: minutes.from - 1, until: at })
      const { points } = (yield* readValue(pastMinutes)).get("BTC")!
      assert.deepStrictEqual(minutesRead, {
        source: "binance",
        until: at + minuteMs,
        rows: points.map((point) => ({ ...point }))
      })

      const week = { from: at - 7 * dayMs - 30 * minuteMs, to: at - 30 * minuteMs }
      const fundingPayments = yield* series(collectors, "fundingPrints").backfill!.fetch("BTC", week)
      const prints = yield* readValue(derivatives.fundingPayments({ coin: "BTC", ...week }))
      assert.deepStrictEqual(fundingPayments, {
        source: "binance",
        until: week.to,
        rows: prints.map((print) => ({ ...print }))
      })

      const flow = yield* series(collectors, "takerFlow").backfill!.fetch("BTC", hours)
      const buckets = yield* readValue(derivatives.takerFlow({ coin: "BTC", stepMs: fineMs, ...hours }))
      assert.deepStrictEqual(flow, { source: "binance", until: at, rows: buckets.points.map((one) => ({ ...one })) })
    })
  ))

it.live("records a perpetual at an instant, and backfills what the source keeps", () =>
  overWire((collectors) =>
    Effect.gen(function*() {
      const records = series(collectors, "perpetuals")
      const [record, ...others] = yield* records.snapshot!.fetch(["BTC", "NOPE"], at)
      assert.deepStrictEqual([others, record!.subject, record!.rows.length], [[], "BTC", 1])
      const point = yield* readValue(derivatives.perpetual("BTC"))
      const venues = yield* readValue(derivatives.fundingByVenue("BTC"))
      const { fundingRate, intervalHours } = venues.find(({ venue }) => venue === "binance")!
      assert.deepStrictEqual(record!.rows[0], {
        time: at,
        fundingRate,
        fundingIntervalHours: intervalHours,
        openInterest: point.openInterest,
        openInterestUsd: point.openInterest! * point.markPrice!,
        longShortRatio: record!.rows[0]!["longShortRatio"]!,
        markPrice: point.markPrice,
        indexPrice: point.indexPrice
      })
      const flowQuery = { coin: "BTC", stepMs: fineMs, from: at - hourMs, to: at + 1 }
      const { points } = yield* readValue(derivatives.perpetualHistory(flowQuery))
      assert.strictEqual(record!.rows[0]!["longShortRatio"], points.at(-1)!.longShortRatio)
      const other = yield* Effect.flip(records.snapshot!.fetch(["BTC"], at - fineMs))
      assert.deepInclude(other, { source: "binance", failure: "malformed" })

      const pastRecords = yield* records.backfill!.fetch("BTC", { from: at - hourMs, to: at })
      assert.deepStrictEqual(pastRecords, {
        source: "binance",
        until: at,
        rows: points.slice(0, -1).map(({ longShortRatio, openInterest, openInterestUsd, time }) => ({
          time,
          openInterest,
          openInterestUsd,
          longShortRatio,
          fundingRate: null,
          fundingIntervalHours: null,
          markPrice: null,
          indexPrice: null
        }))
      })
    })
  ))

it.live("stores facts and the last 24 hours of trading coins", () =>
  overWire((collectors) =>
    Effect.gen(function*() {
      for (const [name, form] of [["coins", coinDocument], ["tickers", tickerDocument]] as const) {
        const collector = collectors.get(name)
        if (collector?._tag !== "documents") return assert.fail(`there are no documents of ${name}`)
        const { documents } = yield* collector.fetch
        assert.deepStrictEqual(documents.map(({ key }) => key), ["BTC", "ETH"])
        yield* form.decodeRow(documents[0]!)
      }
    })
  ))

it("treats missing newest buckets as complete only after ten minutes", () => {
  const answer = { date: now, receivedAt: now + 900 }
  const completeTimes = (times: ReadonlyArray<number>, maxBuckets = 9) =>
    (completeUntil({ from: at - hourMs, to: at }, { answer, times, maxBuckets, stepMs: fineMs }) - at) / minuteMs
  assert.strictEqual(completeTimes([at - fineMs]), 0)
  // Buckets of the last ten minutes may still arrive.
  assert.strictEqual(completeTimes([]), -10)
  assert.strictEqual(completeTimes([at - hourMs]), -10)
  // A response with the maximum number of rows may be incomplete.
  assert.strictEqual(completeTimes([at - hourMs, at - hourMs + fineMs], 2), -50)
  // The source's clock is one day behind the local clock.
  assert.strictEqual(
    completeUntil({ from: at - hourMs, to: at }, {
      answer: { date: at - dayMs, receivedAt: now },
      times: [],
      maxBuckets: 9,
      stepMs: fineMs
    }),
    at - hourMs
  )
})

it("waits only for a funding payment that is due", () => {
  const due = Date.parse("2026-11-20T16:00:00.000Z")
  const until = (minutes: number, times: ReadonlyArray<number>, hours = 8) =>
    (paymentsCompleteUntil({ from: due - hourMs, to: due + hourMs }, times, hours, due + minutes * minuteMs) - due) /
    hourMs
  assert.deepStrictEqual([until(2, []), until(2, [due + 12]), until(11, [])], [0, 1, 1])
  assert.deepStrictEqual([until(0.5, []), until(2, [], 12)], [0, 1])
})

it.effect("streams liquidations of tracked coins, per coin and each once", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const order = { s: "1000PEPEUSDT", S: "SELL", ap: "0.008", z: "5000", T: now }
    const server = yield* makeFakeServer(() => Effect.succeed(null), () => (socket) =>
      Effect.sync(() => {
        for (const one of [order, { ...order, s: "NOPEUSDT" }, order]) {
          socket.send(JSON.stringify({ e: "forceOrder", E: now, o: one }))
        }
      }))
    const contract: BinanceContract = {
      coin: "PEPE",
      symbol: "1000PEPEUSDT",
      kind: "perpetual",
      unit: 1_000,
      listedAt: 0,
      expiryAt: null,
      isTrading: true
    }
    const health = Context.get(yield* Layer.build(SourceHealth.layer), SourceHealth)
    const baseUrl = server.url.replace("http", "ws")
    const collector = binanceLiquidationsCollector(Effect.succeed(new Map([["PEPE", contract]])), { baseUrl }, health)
    assert.deepStrictEqual(yield* collector.subjects, ["binance:PEPE"])
    const { take } = yield* collector.subscribe
    const streamEvents: Array<StreamEvent> = []
    while (streamEvents.filter(({ _tag }) => _tag === "heard").length < 3) streamEvents.push(...yield* take)
    const { events } = foldStreamEvents(undefined, streamEvents)
    assert.deepStrictEqual<ReadonlyArray<object>>(events, [{
      id: `binance:1000PEPEUSDT:${now}:long:40`,
      time: now,
      subjects: ["binance:PEPE"],
      source: "binance",
      label: "long",
      document: null,
      price: 0.008 / 1_000,
      sizeUsd: 40
    }])
  })))
