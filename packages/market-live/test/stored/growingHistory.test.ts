import { assert, layer as withLayer } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { CoinPrices, dayMs, hourMs, type MarketError, minuteMs, readValue } from "@tapeline/core/market"
import { type CoverageUpdate, type Fence, MarketStore, type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { storedCoinPrices } from "../../src/stored/coinPrices.ts"
import { coinDocument, tickerDocument } from "../../src/stored/documents.ts"

const hour = Date.parse("2026-11-20T15:00:00.000Z")
const at = (minutes: number): number => hour + minutes * minuteMs

const reads = { count: 0, down: false }

const read = <A extends (...query: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>>(ask: A): A =>
  // The type cast is safe, because the wrapper takes the same arguments and fails with an error of the store.
  ((...query) =>
    Effect.suspend(() => {
      reads.count++
      return reads.down ? Effect.fail(new StoreUnavailable({ store: "postgres", cause: "down" })) : ask(...query)
    })) as A

const countedStore = Layer.effect(
  MarketStore,
  Effect.map(MarketStore, (store): MarketStore["Service"] => ({
    ...store,
    points: read(store.points),
    foldedPoints: read(store.foldedPoints),
    latest: read(store.latest),
    documents: read(store.documents),
    records: read(store.records)
  }))
).pipe(Layer.provideMerge(MemoryMarketStore))

const market = Layer.provideMerge(storedCoinPrices, countedStore)

let fence: Fence | undefined
const acquireFence = Effect.gen(function*() {
  if (fence !== undefined) return fence
  const leadership = yield* (yield* MarketStore).acquireLeadership({ source: "test", holder: "test", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
  fence = leadership.fence
  return leadership.fence
})

const list = Effect.fnUntraced(function*(coin: string, delistedAt: number | null = null, listedAt = 0) {
  const facts = {
    name: coin,
    sector: "layer1",
    circulatingSupply: null,
    maxSupply: null,
    listedAt,
    delistedAt,
    isStablecoin: false
  }
  const row = coinDocument.encodeRow({ key: coin, time: hour, source: "lister" }, facts)
  const store = yield* MarketStore
  yield* store.writeDocuments({ kind: coinDocument.kind, fence: yield* acquireFence, documents: [row] })
})

const candle = (time: number, close = 100, volume = 2) => ({
  time,
  open: 100,
  high: Math.max(100, close),
  low: Math.min(100, close),
  close,
  volume,
  quoteVolume: 100 * volume,
  takerBuyVolume: 1
})

const collect = Effect.fnUntraced(
  function*(coin: string, rows: ReadonlyArray<ReturnType<typeof candle>>, covering: CoverageUpdate) {
    const series = [{ subject: coin, source: "venue", rows, ...covering }]
    yield* (yield* MarketStore).writePoints({ kind: pointsKinds.candles, fence: yield* acquireFence, series })
  }
)

const sample = Effect.fnUntraced(
  function*(coin: string, rows: ReadonlyArray<PointRow<"price">>, covering: CoverageUpdate = {}, source = "prices") {
    const series = [{ subject: coin, source, rows, ...covering }]
    yield* (yield* MarketStore).writePoints({ kind: pointsKinds.prices, fence: yield* acquireFence, series })
  }
)

/** Returns the five-minute candles between two minutes of the tested hour. */
const candles = (from: number, to: number) =>
  Array.from({ length: (to - from) / 5 }, (_, i) => candle(at(from + 5 * i)))

const prices = Effect.flatMap(CoinPrices, Effect.succeed)

type Check = readonly [title: string, check: Effect.Effect<void, unknown, Layer.Success<typeof market>>]

const checks: ReadonlyArray<Check> = [
  [
    "builds a running hour from its candles, and closes it once the last one is there",
    Effect.gen(function*() {
      const port = yield* prices
      yield* list("RUNS")
      yield* collect("RUNS", candles(-60, 10), { covers: [{ from: at(-60), to: at(10) }] })
      yield* TestClock.setTime(at(11))
      const ask = port.candles({ coin: "RUNS", timeframe: "1h", bars: 2 })
      const running = yield* ask
      assert.deepStrictEqual(running.value.map(({ closed, volume }) => [closed, volume]), [[true, 24], [false, 4]])
      assert.deepStrictEqual([running.sources, running.asOf], [["venue"], at(10)])
      // A five-minute candle counts as missing if it has not arrived five minutes after its end.
      yield* TestClock.setTime(at(20))
      assert.deepStrictEqual((yield* ask).value.map(({ closed }) => closed), [true])
      yield* collect("RUNS", candles(10, 60), { covers: [{ from: at(10), to: at(60) }] })
      assert.deepStrictEqual((yield* ask).value.map(({ volume }) => volume), [24, 8])
      yield* TestClock.setTime(at(60))
      assert.deepStrictEqual(
        (yield* ask).value.map(({ closed, volume }) => [closed, volume]),
        [[true, 24]],
        "the next hour has begun"
      )
    })
  ],

  [
    "returns the earlier watermark of both series, and keeps the revision while they grow",
    Effect.gen(function*() {
      const port = yield* prices
      yield* list("MARK")
      yield* TestClock.setTime(at(12))
      const record = Effect.map(readValue(port.watermarks(["MARK"])), (all) => all.get("MARK"))
      assert.isUndefined(yield* record)
      yield* collect("MARK", candles(-60, 10), { covers: [{ from: at(-60), to: at(10) }] })
      const singleRecord = yield* record
      assert.strictEqual(singleRecord?.contiguousUntil, at(10))
      yield* sample("MARK", [{ time: at(8), price: 100 }], { covers: [{ from: at(-60), to: at(8) + 1 }] })
      const joined = yield* record
      assert.strictEqual(joined?.contiguousUntil, at(8))
      assert.notStrictEqual(joined?.revision, singleRecord?.revision)
      yield* sample("MARK", [{ time: at(12), price: 100 }], { covers: [{ from: at(8) + 1, to: at(12) + 1 }] })
      assert.deepStrictEqual(yield* record, { ...joined!, contiguousUntil: at(10) })
      yield* collect("MARK", [candle(at(0), 90)], {})
      assert.notStrictEqual((yield* record)?.revision, joined?.revision)
    })
  ],

  [
    "waits for no more data of a delisted coin once its last candle is recorded",
    Effect.gen(function*() {
      const port = yield* prices
      yield* list("DEAD", at(7))
      yield* collect("DEAD", candles(-60, 5), { covers: [{ from: at(-60), to: at(5) }] })
      yield* TestClock.setTime(at(30))
      const mark = Effect.map(readValue(port.watermarks(["DEAD"])), (all) => all.get("DEAD")?.contiguousUntil)
      assert.strictEqual(yield* mark, at(5))
      yield* collect("DEAD", [candle(at(5))], { covers: [{ from: at(5), to: at(10) }] })
      assert.strictEqual(yield* mark, at(30))
      const { value } = yield* port.candles({ coin: "DEAD", timeframe: "1h", bars: 1 })
      assert.deepStrictEqual(value.map(({ closed }) => closed), [true])
      const delistedError = yield* Effect.flip(
        port.candleRange({ coin: "DEAD", timeframe: "5m", from: at(10), to: at(20) })
      )
      assert.include(delistedError.message, "2026-11-20")
    })
  ],

  [
    "returns a fresh sample as the price, else the last close, and only samples as minutes",
    Effect.gen(function*() {
      const port = yield* prices
      yield* list("LAGS")
      yield* collect("LAGS", [candle(at(0), 101), candle(at(5), 102)], { covers: [{ from: at(0), to: at(10) }] })
      yield* sample("LAGS", [{ time: at(3) + 200, price: 99 }], { covers: [{ from: at(0), to: at(4) + 1 }] })
      yield* TestClock.setTime(at(70))
      const priceAt = (time: number) => Effect.map(port.priceAt({ coin: "LAGS", time }), ({ value }) => value)
      assert.deepStrictEqual(yield* priceAt(at(6)), { time: at(3) + 200, price: 99 })
      assert.deepStrictEqual(yield* priceAt(at(10)), { time: at(9), price: 102 })
      assert.deepStrictEqual(yield* priceAt(at(69)), { time: at(9), price: 102 })
      assert.strictEqual((yield* Effect.flip(priceAt(at(70))))._tag, "NoData")
      const minutes = (until: number) =>
        Effect.map(
          readValue(port.minutes({ coins: ["LAGS"], after: at(2), until })),
          (all) => all.get("LAGS")
        )
      assert.deepStrictEqual(yield* minutes(at(60)), { knownUntil: at(4), points: [{ time: at(4), price: 99 }] })
      assert.deepStrictEqual(yield* minutes(at(3)), { knownUntil: at(3), points: [] })
    })
  ],

  [
    "uses recent 24-hour figures of the venue if the recorded day has a gap",
    Effect.gen(function*() {
      const port = yield* prices
      yield* list("HOLE")
      const rows = candles(-1_440, 0).filter((_, i) => i !== 100)
      const hole = { from: at(-1_440 + 500), to: at(-1_440 + 505) }
      yield* collect("HOLE", rows, { covers: [{ from: at(-1_440), to: hole.from }, { from: hole.to, to: at(0) }] })
      yield* sample("HOLE", [{ time: at(1), price: 103 }])
      yield* TestClock.setTime(at(2))
      const ticker = port.ticker("HOLE")
      const tickerWithGap = yield* ticker
      assert.deepInclude(tickerWithGap.value, { time: at(1), price: 103, high24h: null, volume24hUsd: null })
      assert.closeTo(tickerWithGap.value.change24hPct!, 3, 1e-9)
      const expectedTicker = { change24hPct: 2, high24h: 102, low24h: 97, volume24hUsd: 5 }
      const row = tickerDocument.encodeRow({ key: "HOLE", time: at(0), source: "venue24h" }, expectedTicker)
      yield* (yield* MarketStore).writeDocuments({
        kind: tickerDocument.kind,
        fence: yield* acquireFence,
        documents: [row]
      })
      const recoveredTicker = yield* ticker
      assert.deepInclude(recoveredTicker.value, {
        ...expectedTicker,
        change24hPct: tickerWithGap.value.change24hPct,
        high24h: 103
      })
      assert.deepStrictEqual(recoveredTicker.sources, ["lister", "prices", "venue", "venue24h"])
      yield* TestClock.setTime(at(30))
      assert.isNull((yield* ticker).value.high24h)
      yield* collect("HOLE", [candle(hole.from)], { covers: [hole, { from: at(0), to: at(30) }] })
      assert.strictEqual((yield* ticker).value.volume24hUsd, 282 * 200)
    })
  ],

  [
    "reads the store a fixed number of times per query, for any number of coins",
    Effect.gen(function*() {
      const port = yield* prices
      yield* TestClock.setTime(at(12))
      const coins = Array.from({ length: 30 }, (_, i) => `MANY${i}`)
      for (const coin of coins) {
        yield* list(coin)
        yield* sample(coin, [{ time: at(12) - dayMs, price: 1 }, { time: at(12), price: 1 }])
        yield* collect(coin, candles(0, 10), { covers: [{ from: at(-1_440), to: at(10) }] })
      }
      const costOf = Effect.fnUntraced(function*<A, E>(ask: Effect.Effect<A, E>) {
        reads.count = 0
        yield* ask
        return reads.count
      })
      const query = { timeframe: "1h", bars: 20 } as const
      assert.strictEqual(yield* costOf(port.candlesByCoin({ coins, ...query })), 2)
      assert.strictEqual(yield* costOf(port.candles({ coin: coins[0]!, ...query })), 2)
      assert.strictEqual(yield* costOf(port.priceAt({ coin: coins[0]!, time: at(12) })), 2)
      assert.strictEqual(yield* costOf(port.coin(coins[0]!)), 1)
      assert.isAtMost(yield* costOf(port.watermarks(coins)), 3)
      assert.isAtMost(yield* costOf(port.minutes({ coins, after: at(0), until: at(12) })), 5)
      assert.isAtMost(yield* costOf(port.tickers), 7)
    })
  ],

  [
    "reports an unreachable store as an unavailable source with its name",
    Effect.gen(function*() {
      const port = yield* prices
      reads.down = true
      const errors = yield* Effect.forEach(
        [port.tickers, port.coin("RUNS"), port.totalMarket, port.watermarks(["RUNS"])],
        (ask) => Effect.flip(Effect.asVoid<unknown, MarketError, never>(ask))
      ).pipe(Effect.ensuring(Effect.sync(() => {
        reads.down = false
      })))
      assert.strictEqual(errors.length, 4)
      for (const error of errors) {
        assert.deepInclude(error, { _tag: "SourceUnavailable", source: "postgres", retryable: true })
      }
      assert.deepInclude(yield* Effect.flip(port.totalMarket), { source: "coinpaprika", retryable: true })
      assert.strictEqual((yield* Effect.flip(port.coin("NOSUCH0")))._tag, "UnknownSymbol")
    })
  ]
]

withLayer(market)("CoinPrices from a growing store", (it) => {
  for (const [title, check] of checks) it.effect(title, () => check)
})
