import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, type MarketRead, minuteMs, readValue } from "@tapeline/core/market"
import { clipRanges, eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import {
  makeBybitLiquidations,
  makeBybitMarket,
  makeFakeServer,
  makeOkxLiquidations,
  makeOkxMarket
} from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { bybitCollectors } from "../../src/bybit/collectors.ts"
import { resubscribeOnChange } from "../../src/bybit/resubscribeOnChange.ts"
import {
  BybitMarket,
  bybitSpotVenue,
  layerBybitMarket,
  layerCollectors,
  layerOkxMarket,
  MarketHealth,
  OkxMarket,
  type SocketEvent,
  SourceHealth,
  spotCollectors,
  storedCoinDerivatives,
  trackedCoins,
  venueKey
} from "../../src/index.ts"
import { okxCollectors } from "../../src/okx/collectors.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins
const derivatives = Context.get(ports, CoinDerivatives)
const prices = Context.get(ports, CoinPrices)
const coins = trackedCoins.filter(({ coin }) => coin === "BTC")
const kind = eventsKinds.liquidations

const onlyBtc = <A extends { readonly coin: string }>(
  read: MarketRead<ReadonlyArray<A>>
): MarketRead<ReadonlyArray<A>> =>
  Effect.map(
    read,
    (reading) => ({ ...reading, value: reading.value.filter(({ coin }) => coin === "BTC" || coin === "ETH") })
  )
const served = {
  derivatives: { ...derivatives, perpetuals: onlyBtc(derivatives.perpetuals) },
  prices: { ...prices, coins: onlyBtc(prices.coins), tickers: onlyBtc(prices.tickers) }
}

const collecting = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const bybit = yield* makeFakeServer(makeBybitMarket(served), makeBybitLiquidations(served.derivatives))
  const okx = yield* makeFakeServer(makeOkxMarket(served), makeOkxLiquidations(served.derivatives))
  const streams = (url: string) => ({ baseUrl: url.replace("http", "ws") })
  const collectors = Layer.unwrap(Effect.gen(function*() {
    const [first, second, health] = yield* Effect.all([BybitMarket, OkxMarket, SourceHealth])
    return layerCollectors([
      ...spotCollectors([bybitSpotVenue(first)], coins, { candleDays: 1, priceDays: 1 }),
      ...bybitCollectors(first, coins, streams(bybit.url), health),
      ...okxCollectors(second, coins, streams(okx.url), health)
    ])
  }))
  const layer = Layer.merge(collectors, storedCoinDerivatives({ venues: ["bybit", "okx"], completeTapes: ["bybit"] }))
    .pipe(
      Layer.provide([layerBybitMarket({ baseUrl: bybit.url }), layerOkxMarket({ baseUrl: okx.url })]),
      Layer.provideMerge(MemoryMarketStore),
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer)
    )
  const context = yield* Layer.build(layer)
  return {
    bybit,
    storedPorts: Context.get(context, CoinDerivatives),
    store: Context.get(context, MarketStore),
    report: Context.get(context, MarketHealth).report
  }
})

it.effect(
  "stores funding, open interest, futures and liquidations per venue, and joins them",
  () =>
    Effect.gen(function*() {
      const { bybit, report, store, storedPorts } = yield* collecting
      const socket = yield* bybit.waitForSocket
      const isWhole = Effect.map(report, ({ collectorsBySource }) =>
        collectorsBySource.length === 2 && collectorsBySource.every(({ collectors }) =>
          collectors.every(({ completeAt }) =>
            completeAt !== null
          )
        ))
      yield* advanceUntil("everything is collected once", isWhole)

      const storedSources = ["bybit", "okx"]
      const withoutTime = <A extends { readonly time: number }>(all: ReadonlyArray<A>) =>
        all.map(({ time: _, ...one }) => one)
      const ofBoth = <A extends { readonly venue: string; readonly time: number }>(
        read: MarketRead<ReadonlyArray<A>>
      ) => Effect.map(readValue(read), (all) => withoutTime(all.filter(({ venue }) => storedSources.includes(venue))))
      const fundings = yield* storedPorts.fundingByVenue("BTC")
      const known = yield* ofBoth(derivatives.fundingByVenue("BTC"))
      assert.deepStrictEqual(fundings.sources, storedSources)
      assert.deepStrictEqual(
        withoutTime(fundings.value).map(({ intervalHours, nextFundingAt, venue }) => ({
          intervalHours,
          nextFundingAt,
          venue
        })),
        known.map(({ intervalHours, nextFundingAt, venue }) => ({ intervalHours, nextFundingAt, venue }))
      )
      const interests = yield* readValue(storedPorts.openInterestByVenue("BTC"))
      assert.deepStrictEqual(interests.map(({ venue }) => venue), storedSources)
      const futures = yield* readValue(storedPorts.futures("BTC"))
      const expiries = (yield* readValue(derivatives.futures("BTC"))).map((
        { expiryAt, instrument }
      ) => [expiryAt, instrument])
      assert.deepStrictEqual(futures.map(({ expiryAt, instrument }) => [expiryAt, instrument]), expiries)

      // After the interruption of Bybit's socket, only Bybit's liquidations are lost.
      const droppedAt = yield* Clock.currentTimeMillis
      socket.terminate()
      const subjects = ["bybit", "okx"].map((venue) => venueKey(venue, "BTC"))
      const gapsOf = Effect.map(Clock.currentTimeMillis, (to) => store.gaps({ kind, subjects, from: start, to })).pipe(
        Effect.flatten,
        Effect.map((gaps) => subjects.map((subject) => gaps.get(subject)!.lost))
      )
      yield* advanceUntil("the gap is recorded", Effect.map(Effect.orDie(gapsOf), ([gaps]) => (gaps ?? []).length > 0))
      const from = droppedAt + 2 * minuteMs
      const readLiquidations = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        readValue(derivatives.liquidations({ coin: "BTC", from, to: now - minuteMs })))
      yield* advanceUntil(
        "something is liquidated",
        Effect.map(Effect.orDie(readLiquidations), ({ count }) =>
          count > 1)
      )
      const [lostGaps, others] = yield* gapsOf
      assert.isAbove(lostGaps!.length, 0)
      assert.deepStrictEqual(others, [])

      const now = yield* Clock.currentTimeMillis
      const later = { from, to: now - minuteMs }
      assert.deepStrictEqual(clipRanges(lostGaps!, later), [])
      const { events } = yield* store.events({ kind, subject: subjects[0]!, ...later, limit: 1_000 })
      const right = yield* readValue(derivatives.liquidations({ coin: "BTC", ...later }))
      assert.isAbove(right.count, 0)
      assert.deepStrictEqual(
        events.map(({ label, sizeUsd, time }) => [time, label, Math.round(sizeUsd!)]),
        right.events.map(({ side, sizeUsd, time }) => [time, side, Math.round(sizeUsd)])
      )
      const tape = yield* storedPorts.liquidations({ coin: "BTC", from: droppedAt, to: now })
      assert.deepInclude(tape.value, { coverage: "sampled", gaps: [] })
      assert.deepStrictEqual(tape.sources, storedSources)
    }).pipe(Effect.scoped),
  60_000
)

it.effect("resubscribes when the requested names change, and reports the gap", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    let requestedCoins: ReadonlyArray<string> = ["A"]
    const opened: Array<string> = []
    const closedSubjects: Array<string> = []
    const events = new Map<string, ReadonlyArray<SocketEvent<string>>>([
      ["A", [{ _tag: "up", at: 10 }, { _tag: "alive", at: 20 }]],
      ["A B", [{ _tag: "up", at: 30 }, { _tag: "heard", value: "B", at: 40 }]]
    ])
    const { take } = yield* resubscribeOnChange(() => requestedCoins, (names) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          opened.push(names.join(" "))
          return { take: Effect.succeed(events.get(names.join(" "))!) }
        }),
        () => Effect.sync(() => void closedSubjects.push(names.join(" ")))
      ))
    assert.deepStrictEqual(yield* take, events.get("A"))
    assert.deepStrictEqual(opened, ["A"])
    requestedCoins = ["B", "A"]
    assert.deepStrictEqual(yield* take, [
      { _tag: "gap", from: 20, to: 30, why: "the subscribed contracts changed" },
      ...events.get("A B")!
    ])
    assert.deepStrictEqual([opened, closedSubjects], [["A", "A B"], ["A"]])
    yield* take
    assert.strictEqual(opened.length, 2)
  })))

it.effect("stores two equal liquidations as two, per coin and under the venue's name", () =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const one = { T: start, s: "1000PEPEUSDT", S: "Buy", v: "5000", p: "0.008" }
    const message = { topic: "allLiquidation.1000PEPEUSDT", type: "snapshot", ts: start, data: [one, one] }
    const server = yield* makeFakeServer(() => Effect.succeed(null), () => (socket) =>
      Effect.gen(function*() {
        yield* socket.received
        socket.send(JSON.stringify({ success: true, ret_msg: "", conn_id: "1", req_id: "", op: "subscribe" }))
        socket.send(JSON.stringify(message))
      }))
    const contract = {
      coin: "PEPE",
      symbol: "1000PEPEUSDT",
      kind: "perpetual",
      unit: 1_000,
      listedAt: 0,
      expiryAt: null,
      isTrading: true
    } as const
    const health = Context.get(yield* Layer.build(SourceHealth.layer), SourceHealth)
    const unusedMethod = Effect.die(new Error("this method is not requested"))
    const market: BybitMarket["Service"] = {
      spotMarkets: () => unusedMethod,
      candles: () => unusedMethod,
      firstMonth: () => unusedMethod,
      tickers: () => unusedMethod,
      marks: () => unusedMethod,
      fundingPayments: () => unusedMethod,
      openInterestHistory: () => unusedMethod,
      accountRatios: () => unusedMethod,
      contracts: () => Effect.succeed({ value: [contract, { ...contract, symbol: "PEPE2" }], receivedAt: 0, date: 0 })
    }
    const pepe = trackedCoins.filter(({ coin }) => coin === "PEPE")
    const baseUrl = server.url.replace("http", "ws")
    const stream = bybitCollectors(market, pepe, { baseUrl }, health).find(({ name }) => name === "liquidations")
    if (stream?._tag !== "stream") return assert.fail("there is no stream")
    assert.deepStrictEqual(yield* stream.subjects, ["bybit:PEPE"])
    const { take } = yield* stream.subscribe
    const receivedValues: Array<object | null> = []
    while (receivedValues.length < 2) {
      receivedValues.push(...(yield* take).flatMap((event) => event._tag === "heard" ? [event.value] : []))
    }
    const row = {
      time: start,
      subjects: ["bybit:PEPE"],
      source: "bybit",
      label: "long",
      document: null,
      price: 0.008 / 1_000,
      sizeUsd: 40
    }
    const id = `bybit:1000PEPEUSDT:${start}:long:0.008:40`
    assert.deepStrictEqual(receivedValues, [{ id: `${id}:0`, ...row }, { id: `${id}:1`, ...row }])
  })))
