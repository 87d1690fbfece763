import { assert, it } from "@effect/vitest"
import { type Candle, dayMs, hourMs, minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Collector, DocumentsCollector, SeriesCollector } from "../../src/collect/collector.ts"
import { type KrwSource, layerCollectors, MarketHealth, SourceHealth } from "../../src/index.ts"
import type { CollectedExchange } from "../../src/korea/CollectedExchange.ts"
import { type ForeignPriceSource, plausibleForeignPrice } from "../../src/korea/ForeignPriceSource.ts"
import { makeKrwListingsCollector } from "../../src/korea/listingsCollector.ts"
import { makeKrwMarketsCollector } from "../../src/korea/marketsCollector.ts"
import { makeEcbRatesCollector, makeUsdtRatesCollector } from "../../src/korea/ratesCollectors.ts"
import { makeKrwTickersCollector } from "../../src/korea/tickersCollector.ts"
import { krwListingDocument, krwTickerDocument } from "../../src/stored/documents.ts"

const now = Date.parse("2026-11-20T12:30:00.000Z")
const fineMs = 5 * minuteMs

const failing = (failure: SourceUnavailable["failure"]) =>
  new SourceUnavailable({ source: "test", failure, reason: "as told", retryable: true })

class Exchange {
  readonly opened = new Map<string, number>()
  readonly candles: Array<Pick<Candle, "time" | "close">> = []
  changedAt: number = now
  down: SourceUnavailable["failure"] | null = null
  unread: ReadonlyArray<string> = []

  #answer<A>(value: () => A) {
    return Effect.flatMap(Clock.currentTimeMillis, (receivedAt) =>
      this.down === null
        ? Effect.succeed({ value: value(), receivedAt, date: receivedAt, skippedRows: this.unread })
        : Effect.fail(failing(this.down)))
  }

  readonly source: KrwSource = {
    markets: Effect.suspend(() =>
      this.#answer(() =>
        [...this.opened.keys()].map((coin) => ({
          coin,
          koreanName: null,
          englishName: null,
          isWarned: coin === "LUNA",
          cautions: []
        }))
      )
    ),
    tickers: (coins) =>
      this.#answer(() =>
        coins.map((coin) => ({ coin, exchange: "upbit", time: this.changedAt, krwPrice: 1_400, volume24hKrw: 1e9 }))
      ),
    candles: ({ from, to }) =>
      this.#answer(() => ({
        completeFrom: from,
        candles: this.candles.filter(({ time }) => time >= from && time < to).map((one): Candle => ({
          open: one.close,
          high: one.close,
          low: one.close,
          volume: 1,
          quoteVolume: one.close,
          takerBuyVolume: null,
          closed: one.time + fineMs <= now,
          ...one
        }))
      })),
    oldestCandleAt: ({ coin }) => this.#answer(() => this.opened.get(coin) ?? null)
  }

  makeExchange(store: MarketStore["Service"], abroad: Partial<ForeignPriceSource> = {}): CollectedExchange {
    const noForeignPrices = { source: "abroad", prices: new Map() }
    return {
      exchange: "upbit",
      source: this.source,
      store,
      backfillDays: 1,
      foreignPrices: {
        current: Effect.succeed(noForeignPrices),
        past: () => Effect.succeed(noForeignPrices),
        ...abroad
      }
    }
  }
}

const collect = Effect.fnUntraced(function*(store: MarketStore["Service"], collector: DocumentsCollector) {
  const leadership = yield* store.acquireLeadership({ source: collector.source, holder: "test", ttlMs: hourMs })
  const { documents, faults } = yield* collector.fetch
  if (leadership._tag !== "Leads") return assert.fail("another process leads")
  yield* store.writeDocuments({ kind: collector.kind, fence: leadership.fence, documents })
  return {
    faults,
    documents: yield* Effect.forEach(documents, krwListingDocument.decodeRow)
  }
})

it.effect("reports a listing once, a delisting after repeated absence, and a relisting separately", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const exchange = new Exchange()
    const born = now - 90 * dayMs
    for (const coin of ["AAA", "BBB", "CCC", "DDD", "EEE"]) exchange.opened.set(coin, born)
    const collector = makeKrwListingsCollector(exchange.makeExchange(store))
    const listed = { exchange: "upbit", listedAt: born, inferred: true, delistedAt: null } as const
    const first = yield* collect(store, collector)
    assert.deepStrictEqual(first.documents, [...exchange.opened.keys()].map((coin) => ({ coin, ...listed })))
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [])

    // A market does not count as closed after one response without the market, after several such responses within
    // minutes, or after several such responses far apart.
    exchange.opened.delete("CCC")
    yield* TestClock.adjust(hourMs)
    for (let i = 0; i < 5; i++) assert.deepStrictEqual((yield* collect(store, collector)).documents, [])
    exchange.opened.set("CCC", born)
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [])
    exchange.opened.delete("CCC")
    for (let i = 0; i < 3; i++) {
      assert.deepStrictEqual((yield* collect(store, collector)).documents, [])
      yield* TestClock.adjust(5 * minuteMs)
    }
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [])
    const closedListing = { coin: "CCC", ...listed, delistedAt: now + hourMs }
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [closedListing])
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [])

    exchange.opened.set("CCC", born)
    yield* TestClock.adjust(hourMs)
    const relisting = { coin: "CCC", ...listed, listedAt: now + 2 * hourMs + 15 * minuteMs }
    assert.deepStrictEqual((yield* collect(store, collector)).documents, [relisting])
    const keys = [...(yield* store.documents({ kind: krwListingDocument.kind })).keys()]
    assert.deepStrictEqual(keys.filter((key) => key.includes("CCC")).length, 2)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("does not delist a market whose row is unreadable", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const exchange = new Exchange()
    for (const coin of ["AAA", "BBB", "CCC", "DDD", "EEE"]) exchange.opened.set(coin, now - 90 * dayMs)
    const coinCollector = exchange.makeExchange(store)
    const listings = makeKrwListingsCollector(coinCollector)
    yield* collect(store, listings)

    exchange.opened.delete("CCC")
    for (const unread of [["KRW-CCC"], ["2"]]) {
      exchange.unread = unread
      for (const collector of [listings, makeKrwListingsCollector(coinCollector)]) {
        for (let i = 0; i < 6; i++) {
          assert.deepStrictEqual((yield* collect(store, collector)).documents, [])
          yield* TestClock.adjust(5 * minuteMs)
        }
      }
    }

    exchange.unread = ["KRW-OTHER"]
    for (let i = 0; i < 6; i++) {
      yield* collect(store, listings)
      yield* TestClock.adjust(5 * minuteMs)
    }
    const listingDocuments = yield* store.documents({ kind: krwListingDocument.kind })
    assert.lengthOf([...listingDocuments.values()].filter(({ document }) => !document.includes(`"delistedAt":null`)), 1)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("takes the USDT rate from the other exchange while the first one's row is unreadable", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const [first, other] = [new Exchange(), new Exchange()]
    const unreadable: KrwSource = {
      ...first.source,
      tickers: () => Effect.succeed({ value: [], receivedAt: now, date: now, skippedRows: ["KRW-USDT"] })
    }
    const rates = makeUsdtRatesCollector({ ...first.makeExchange(store), source: unreadable }, {
      ...other.makeExchange(store),
      exchange: "bithumb"
    }, {
      backfillDays: 1
    })
    const [row] = (yield* rates.snapshot!.fetch(["usdt_krw"], now)) ?? []
    assert.strictEqual(row?.source, "bithumb")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("counts no absence from an earlier lead towards a delisting", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const exchange = new Exchange()
    for (const coin of ["AAA", "BBB", "CCC", "DDD", "EEE"]) exchange.opened.set(coin, now - 90 * dayMs)
    const listings = makeKrwListingsCollector(exchange.makeExchange(store))
    const first = Effect.scoped(Effect.gen(function*() {
      yield* Layer.build(
        layerCollectors([listings]).pipe(
          Layer.provide(Layer.succeed(MarketStore, store)),
          Layer.provide(MarketHealth.layer),
          Layer.provide(SourceHealth.layer)
        )
      )
      yield* TestClock.adjust(5 * minuteMs)
    }))
    const open = Effect.map(
      store.documents({ kind: krwListingDocument.kind }),
      (all) => [...all.values()].filter(({ document }) => document.includes(`"delistedAt":null`)).length
    )
    yield* first
    assert.strictEqual(yield* open, 5)
    exchange.opened.delete("CCC")
    yield* first
    // In the last hour, another process was leader and received a response that contained the market.
    yield* TestClock.adjust(hourMs)
    yield* first
    assert.strictEqual(yield* open, 5)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("rejects a response that lacks half of the markets", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const exchange = new Exchange()
    for (const coin of ["AAA", "BBB", "CCC", "DDD"]) exchange.opened.set(coin, now - dayMs)
    const collector = makeKrwListingsCollector(exchange.makeExchange(store))
    yield* collect(store, collector)
    for (const coin of ["AAA", "BBB"]) exchange.opened.delete(coin)
    assert.strictEqual((yield* Effect.flip(collector.fetch)).failure, "malformed")
    exchange.opened.clear()
    assert.strictEqual((yield* Effect.flip(collector.fetch)).failure, "malformed")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("carries a price forward for an hour without trades, and omits an unfinished bucket", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now + 30_000)
    const exchange = new Exchange()
    const at = (minutes: number) => now - minutes * minuteMs
    exchange.candles.push({ time: at(185), close: 1 }, { time: at(100), close: 2 }, { time: at(10), close: 3 }, {
      time: at(0),
      close: 4
    })
    const collector = makeKrwMarketsCollector(exchange.makeExchange(yield* MarketStore))
    const backfilled = yield* collector.backfill!.fetch("upbit:AAA", { from: at(120), to: at(-5) })
    const prices = backfilled.rows.map(({ krwPrice, time }) => [(now - time) / minuteMs, krwPrice])
    const bidLevels = Array.from({ length: 12 }, (_, i) => [95 - 5 * i, 2])
    // A trade from three hours ago is too old to determine the current price. Candles of the last five minutes are not
    // complete yet.
    assert.deepStrictEqual(prices, [...bidLevels, [5, 3]])
    assert.strictEqual(backfilled.until, at(0))
    assert.strictEqual(backfilled.source, "upbit")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("records without blocked foreign prices, and waits for unreachable ones", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now + 2_000)
    const exchange = new Exchange()
    for (const coin of ["AAA", "LUNA", "USDT"]) exchange.opened.set(coin, now - dayMs)
    const store = yield* MarketStore
    const sourceWithout = (failure: SourceUnavailable["failure"]) =>
      exchange.makeExchange(store, { current: Effect.fail(failing(failure)) })
    const ask = (collector: SeriesCollector) => collector.snapshot!.fetch(["upbit:AAA", "upbit:USDT"], now)
    const [blocked, usdt] = yield* ask(makeKrwMarketsCollector(sourceWithout("blocked")))
    assert.deepStrictEqual([blocked!.rows[0]!["usdtPrice"], blocked!.source], [null, "upbit"])
    assert.strictEqual(usdt!.rows[0]!["usdtPrice"], 1)
    assert.strictEqual(
      (yield* Effect.flip(ask(makeKrwMarketsCollector(sourceWithout("unreachable"))))).failure,
      "unreachable"
    )

    const { documents, faults } = yield* makeKrwTickersCollector(sourceWithout("unreachable")).fetch
    assert.deepStrictEqual(faults.map(({ failure }) => failure), ["unreachable"])
    const tickers = yield* Effect.forEach(documents, krwTickerDocument.decodeRow)
    assert.deepStrictEqual(tickers.map(({ usdtPrice, warned: hasWarned }) => [usdtPrice, hasWarned]), [
      [null, false],
      [null, true],
      [1, false]
    ])

    // A market that has not traded for an hour has no price.
    exchange.changedAt = now - 2 * hourMs
    assert.deepStrictEqual((yield* ask(makeKrwMarketsCollector(sourceWithout("blocked")))).map(({ rows }) => rows), [
      [],
      []
    ])
    exchange.changedAt = now
    yield* TestClock.adjust(2 * minuteMs)
    assert.deepStrictEqual(yield* ask(makeKrwMarketsCollector(sourceWithout("blocked"))), [])
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("records only KRW prices in a long foreign outage, and waits for foreign ones before it", () =>
  Effect.gen(function*() {
    const start = now + 2_000
    yield* TestClock.setTime(start)
    const exchange = new Exchange()
    exchange.opened.set("AAA", now - dayMs)
    const foreignPrices = { source: "abroad", prices: new Map([["AAA", 1]]) }
    let silent = true
    const failIfSilent = <A>(value: A) =>
      Effect.suspend(() => silent ? Effect.fail(failing("unreachable")) : Effect.succeed(value))
    const { backfill, snapshot } = makeKrwMarketsCollector(exchange.makeExchange(yield* MarketStore, {
      current: failIfSilent(foreignPrices),
      past: () => failIfSilent({ source: "abroad", prices: new Map<number, number>() })
    }))
    const ask = Effect.gen(function*() {
      const at = Math.floor((yield* Clock.currentTimeMillis) / fineMs) * fineMs
      exchange.changedAt = at
      const [rate] = yield* snapshot!.fetch(["upbit:AAA"], at)
      return [rate!.source, rate!.rows.map(({ krwPrice, usdtPrice }) => [krwPrice, usdtPrice])]
    })
    for (const minutes of [5, 5]) {
      assert.strictEqual((yield* Effect.flip(ask)).failure, "unreachable")
      yield* TestClock.adjust(minutes * minuteMs)
    }
    assert.deepStrictEqual(yield* ask, ["upbit", [[1_400, null]]])
    const fetchPast = (from: number, to: number) => backfill!.fetch("upbit:AAA", { from, to })
    // Rows of the outage have no foreign price. Rows from before the outage are recorded only when a source of foreign
    // prices responds.
    exchange.candles.push({ time: now - fineMs, close: 1_390 })
    const pastPoints = yield* fetchPast(now, now + 2 * fineMs)
    assert.deepStrictEqual(pastPoints.rows.map(({ usdtPrice }) => usdtPrice), [null])
    assert.strictEqual((yield* Effect.flip(fetchPast(now - hourMs, now))).failure, "unreachable")
    silent = false
    yield* TestClock.adjust(5 * minuteMs)
    assert.deepStrictEqual(yield* ask, ["upbit+abroad", [[1_400, 1]]])
    silent = true
    yield* TestClock.adjust(5 * minuteMs)
    assert.strictEqual((yield* Effect.flip(ask)).failure, "unreachable")
  }).pipe(Effect.provide(MemoryMarketStore)))

it("rejects a foreign price of another coin with the same ticker", () => {
  assert.strictEqual(plausibleForeignPrice("BTC", 140_000_000, 100_000), 100_000)
  assert.isNull(plausibleForeignPrice("TON", 8_000, 0.9))
  assert.isNull(plausibleForeignPrice("TON", 8_000, 80))
  assert.isNull(plausibleForeignPrice("BTC", 140_000_000, undefined))
  assert.strictEqual(plausibleForeignPrice("USDT", 1_400, 0.9), 1)
})

it.effect("takes the USDT rate from the other exchange while the first one is unreachable", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now + 1_000)
    const store = yield* MarketStore
    const [first, other] = [new Exchange(), new Exchange()]
    const collector = makeUsdtRatesCollector(first.makeExchange(store), {
      ...other.makeExchange(store),
      exchange: "bithumb"
    }, {
      backfillDays: 1
    })
    const readRateSource = Effect.map(collector.snapshot!.fetch(["usdt_krw"], now), ([one]) => one?.source)
    assert.strictEqual(yield* readRateSource, "upbit")
    first.down = "unreachable"
    assert.strictEqual(yield* readRateSource, "bithumb")
    other.changedAt = now - hourMs
    assert.isUndefined(yield* readRateSource)
    const fetchPast = collector.backfill!.fetch("usdt_krw", { from: now - hourMs, to: now })
    assert.strictEqual((yield* Effect.flip(fetchPast)).failure, "unreachable")
    first.down = "blocked"
    assert.strictEqual((yield* fetchPast).source, "bithumb")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("stores a late reference rate at its own time", () =>
  Effect.gen(function*() {
    const quotedAt = Date.parse("2026-11-20T13:15:00.000Z")
    const all = [-1, 0].map((day) => ({ quotedAt: quotedAt + day * dayMs, rate: 1_400 + day }))
    const collector: Collector = makeEcbRatesCollector({
      usdKrw: ({ from, to }) =>
        Effect.map(Clock.currentTimeMillis, (time) => ({
          receivedAt: time,
          date: time,
          value: all.filter((one) => one.quotedAt >= from && one.quotedAt < to && one.quotedAt + 2 * hourMs <= time)
        }))
    }, { backfillDays: 10 })
    const three = Date.parse("2026-11-20T14:00:00.000Z")
    yield* TestClock.setTime(three + 2 * minuteMs)
    const store = yield* MarketStore
    const health = Layer.provide(MarketHealth.layer, SourceHealth.layer)
    yield* Layer.build(Layer.provide(layerCollectors([collector]), health))
    const query = { kind: pointsKinds.fxRates, subjects: ["usd_krw"], from: quotedAt - 2 * dayMs, to: quotedAt + dayMs }
    const readRecorded = Effect.map(store.points(query), (pointsBySubject) => {
      const { points, record } = pointsBySubject.get("usd_krw")!
      return { until: record.contiguousUntil, times: points.map(({ time }) => time) }
    })
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* readRecorded, { until: three + hourMs, times: [all[0]!.quotedAt] })
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* readRecorded, {
      until: three + 3 * hourMs,
      times: all.map((one) => one.quotedAt)
    })
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped))
