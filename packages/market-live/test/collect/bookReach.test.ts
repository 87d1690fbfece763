// Tests that the depth beyond the last level of an order book is null, from the fake source to the tool.
import { assert, it } from "@effect/vitest"
import {
  type BookLevel,
  CoinDerivatives,
  CoinPrices,
  hourMs,
  makeReading,
  type OrderBook,
  OrderBooks
} from "@tapeline/core/market"
import { documentsKinds, MarketStore } from "@tapeline/core/market/store"
import { getOrderbook } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callHandler } from "@tapeline/testing/toolCalls"
import { makeBinanceSpot, makeFakeServer, makeOkxMarket } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import {
  binanceOrderBookVenue,
  BinanceSpot,
  layerBinanceSpot,
  layerOkxMarket,
  OkxMarket,
  okxOrderBookVenue,
  SourceHealth,
  trackedCoins
} from "../../src/index.ts"
import { foldBook } from "../../src/source/index.ts"
import { makeOrderBookCollector, type OrderBookVenue } from "../../src/spot/orderBookCollector.ts"
import { storedOrderBooks } from "../../src/stored/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { writeListed } from "../support/listing.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T12:33:21.000Z")
const ports = portsOfFewCoins
const [prices, derivatives] = [Context.get(ports, CoinPrices), Context.get(ports, CoinDerivatives)]
const coins = trackedCoins.filter(({ coin }) => coin === "BTC")

/**
 * Returns one side of an order book around 1,000, with one coin per level. The levels are one millionth of the price
 * apart.
 */
const finely = (sign: 1 | -1, levels: number): ReadonlyArray<BookLevel> =>
  Array.from({ length: levels }, (_, i) => ({ price: 1_000 * (1 + sign * 1e-6 * (i + 1)), size: 1 }))

const fineBook: OrderBook = { time: now, bids: finely(-1, 12_000), asks: finely(1, 3_000) }
const served: OrderBooks["Service"] = { orderBook: () => Effect.succeed(makeReading(fineBook, "simulated", now)) }

const callOrderbook = Effect.provide(
  callHandler(getOrderbook, { coin: "BTC", sizes_usd: [1_000_000, 8_000_000] }),
  toolsOf([getOrderbook])
)

const orderbookOver = (book: OrderBook) =>
  Effect.provideContext(
    callOrderbook,
    Context.add(ports, OrderBooks, { orderBook: () => Effect.succeed(makeReading(book, "made", now)) })
  )

const venues = {
  binance: Effect.gen(function*() {
    const { url } = yield* makeFakeServer(makeBinanceSpot(prices, served))
    const spot = yield* Layer.build(Layer.provide(layerBinanceSpot({ baseUrl: url }), SourceHealth.layer))
    return binanceOrderBookVenue(Context.get(spot, BinanceSpot))
  }),
  okx: Effect.gen(function*() {
    const { url } = yield* makeFakeServer(makeOkxMarket({ prices, derivatives, books: served }))
    const market = yield* Layer.build(Layer.provide(layerOkxMarket({ baseUrl: url }), SourceHealth.layer))
    return okxOrderBookVenue(Context.get(market, OkxMarket))
  })
}

const leading = Effect.gen(function*() {
  const store = yield* MarketStore
  yield* Effect.provideContext(writeListed(store, now), ports)
  const leadership = yield* store.acquireLeadership({ source: "books", holder: "test", ttlMs: hourMs })
  return leadership._tag === "Leads" ? { store, fence: leadership.fence } : assert.fail("another process leads")
})

const orderbookOverStored = Effect.gen(function*() {
  const storedBooks = Context.get(yield* Layer.build(storedOrderBooks), OrderBooks)
  return yield* Effect.provideContext(callOrderbook, Context.add(ports, OrderBooks, storedBooks))
})

const collected = Effect.fnUntraced(function*(venue: OrderBookVenue) {
  const { fence, store } = yield* leading
  const collector = makeOrderBookCollector([venue], coins)
  if (collector._tag !== "documents") return assert.fail("books are documents")
  const { documents } = yield* collector.fetch
  yield* store.writeDocuments({ kind: documentsKinds.orderBooks, fence, documents })
})

for (const [name, venue] of Object.entries(venues)) {
  it.effect(`${name}: returns null for depth beyond the returned levels, and notes how far they reach`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      yield* collected(yield* venue)
      const { ask_depth_usd, bid_depth_usd, depth, imbalance_pct, notes, slippage } = yield* orderbookOverStored
      // 5,000 bid levels reach a depth of 0.5 %. All 3,000 ask levels are returned.
      assert.deepStrictEqual(depth.map(({ bid_usd }) => bid_usd !== null), [true, true, true, false])
      assert.isTrue(depth.every(({ ask_usd }) => ask_usd !== null))
      assert.closeTo(depth[1]!.bid_usd!, 2_500 * 1_000 * (1 - 0.00125), 1_000)
      assert.deepStrictEqual([bid_depth_usd, imbalance_pct], [null, null])
      assert.closeTo(ask_depth_usd!, 3_000 * 1_000 * (1 + 0.0015), 1_000)
      assert.deepStrictEqual(slippage.map(({ sell_bps }) => sell_bps !== null), [true, false])
      assert.include(notes.join(" "), "The venue reports bids within 0.5 % of mid:")
    }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))
}

it.effect("treats a book that an older version stored as complete", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { fence, store } = yield* leading
    const document = JSON.stringify({ bids: finely(-1, 100), asks: finely(1, 100) })
    const documents = [{ key: "BTC", time: now, source: "binance", document }]
    yield* store.writeDocuments({ kind: documentsKinds.orderBooks, fence, documents })
    const { bid_depth_usd, depth, notes } = yield* orderbookOverStored
    assert.closeTo(bid_depth_usd!, 100_000, 100)
    assert.isTrue(depth.every(({ ask_usd, bid_usd }) => ask_usd !== null && bid_usd !== null))
    assert.isFalse(notes.some((note) => note.includes("The venue reports")))
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

const side = fc.array(
  fc.record({ step: fc.integer({ min: 1, max: 200 }), size: fc.integer({ min: 1, max: 1_000 }) }),
  { minLength: 1, maxLength: 150 }
)

const levelsOf = (sign: 1 | -1, steps: ReadonlyArray<{ readonly step: number; readonly size: number }>) => {
  const cents = steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, { step }) => sum + step, 0))
  return steps.map(({ size }, i): BookLevel => ({ price: (100_000 + sign * cents[i]!) / 100, size }))
}

it("returns the same depth from the first levels as from the whole book, or null", () =>
  fc.assert(
    fc.asyncProperty(side, side, fc.integer({ min: 1, max: 160 }), (bids, asks, maxLevels) =>
      Effect.runPromise(
        Effect.gen(function*() {
          const fullBook = { time: now, bids: levelsOf(-1, bids), asks: levelsOf(1, asks) }
          const limitedBook = foldBook({
            time: now,
            bids: fullBook.bids.slice(0, maxLevels),
            asks: fullBook.asks.slice(0, maxLevels)
          }, maxLevels)
          const [right, limitedSlippage] = yield* Effect.all([orderbookOver(fullBook), orderbookOver(limitedBook)])
          for (const [i, { ask_usd, bid_usd }] of limitedSlippage.depth.entries()) {
            if (bid_usd !== null) assert.strictEqual(bid_usd, right.depth[i]!.bid_usd)
            if (ask_usd !== null) assert.strictEqual(ask_usd, right.depth[i]!.ask_usd)
          }
          for (const name of ["bid_depth_usd", "ask_depth_usd", "imbalance_pct"] as const) {
            if (limitedSlippage[name] !== null) assert.strictEqual(limitedSlippage[name], right[name])
          }
          for (const [i, { buy_bps, sell_bps }] of limitedSlippage.slippage.entries()) {
            if (buy_bps !== null) assert.strictEqual(buy_bps, right.slippage[i]!.buy_bps)
            if (sell_bps !== null) assert.strictEqual(sell_bps, right.slippage[i]!.sell_bps)
          }
          const isWhole = Math.max(bids.length, asks.length) < maxLevels
          if (isWhole) assert.deepStrictEqual(limitedSlippage, right)
          const isCut = limitedSlippage.depth.some(({ ask_usd, bid_usd }) => ask_usd === null || bid_usd === null)
          assert.strictEqual(limitedSlippage.notes.some((note) => note.startsWith("The venue reports")), isCut)
        }).pipe(Effect.provide(TestClock.layer()))
      )),
    { numRuns: isFullRun ? 2_000 : 200 }
  ))
