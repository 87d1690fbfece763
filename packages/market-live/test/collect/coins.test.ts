import { assert, it } from "@effect/vitest"
import { type Coin, CoinPrices, dayMs, hourMs, minuteMs, readValue, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { makeBinanceSpot, makeCoinGecko, makeCoinPaprika, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { chooseCoin, type CoinListing, makeCoinFactsCollector } from "../../src/coins/coinFacts.ts"
import { makeTotalMarketCapCollector } from "../../src/coins/totalMarketCap.ts"
import {
  BinanceSpot,
  binanceSpotVenue,
  coinCollectors,
  type CoinList,
  layerBinanceSpot,
  layerCoinGecko,
  layerCoinPaprika,
  layerCollectors,
  type ListedCoin,
  MarketHealth,
  SourceHealth,
  storedCoinPrices
} from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { advanceTo, advanceUntil, waitWithFixedClock } from "../support/until.ts"

const now = Date.parse("2026-11-20T12:00:00.000Z")
const fineMs = 5 * minuteMs

const world = sharedPorts
const prices = Context.get(world, CoinPrices)
const tracked = ["BTC", "SOL", "DOGE"].map((coin) => ({ coin, name: `${coin} here`, sector: "layer1" }))

it.effect(
  "stores coin facts and the total market from whichever coin list answers",
  () =>
    Effect.scoped(Effect.gen(function*() {
      // The test starts between two scheduled times of the total market capitalisation.
      yield* TestClock.setTime(now + 7 * minuteMs)
      const servers = {
        spot: yield* makeFakeServer(
          makeBinanceSpot(prices, { orderBook: () => Effect.die(new Error("order books are not requested")) })
        ),
        paprika: yield* makeFakeServer(makeCoinPaprika(prices)),
        gecko: yield* makeFakeServer(makeCoinGecko(prices))
      }
      const collectors = Layer.unwrap(Effect.gen(function*() {
        const venues = [binanceSpotVenue(yield* BinanceSpot)] as const
        return layerCollectors(yield* coinCollectors({ coins: tracked, venues }))
      }))
      const sources = Layer.mergeAll(
        layerBinanceSpot({ baseUrl: servers.spot.url }),
        layerCoinPaprika({ baseUrl: servers.paprika.url }),
        layerCoinGecko({ baseUrl: servers.gecko.url })
      )
      const context = yield* Layer.build(
        Layer.merge(collectors, storedCoinPrices).pipe(
          Layer.provide(sources),
          Layer.provideMerge(MemoryMarketStore),
          Layer.provideMerge(MarketHealth.layer),
          Layer.provideMerge(SourceHealth.layer)
        )
      )
      const [storedPrices, { report }] = [Context.get(context, CoinPrices), Context.get(context, MarketHealth)]
      const readCompleteCount = Effect.map(
        report,
        ({ collectorsBySource: [one] }) => one!.collectors.filter(({ completeAt }) => completeAt !== null).length === 2
      )
      yield* advanceUntil("facts are there", readCompleteCount)
      for (const { coin, name } of tracked) {
        const coinReading = yield* storedPrices.coin(coin)
        const its = yield* readValue(prices.coin(coin))
        assert.deepStrictEqual(coinReading.sources, ["binance", "coinpaprika"])
        const expected: Coin = {
          ...its,
          name,
          sector: "layer1",
          listedAt: Math.floor(its.listedAt / minuteMs) * minuteMs,
          circulatingSupply: coinReading.value.circulatingSupply
        }
        assert.deepStrictEqual(coinReading.value, expected)
        assert.closeTo(coinReading.value.circulatingSupply! / its.circulatingSupply!, 1, 1e-6)
      }
      const counted = yield* storedPrices.totalMarket
      assert.deepStrictEqual([counted.sources, counted.asOf], [["coinpaprika"], now])
      servers.paprika.fail({ _tag: "answer", status: 402, body: {} })
      yield* advanceTo(now + hourMs)
      const isNew = Effect.map(storedPrices.totalMarket, ({ asOf }) => asOf === now + hourMs)
      yield* advanceUntil("the total market is stored", Effect.orElseSucceed(isNew, () => false))
      const total = yield* storedPrices.totalMarket
      assert.deepStrictEqual(total.sources, ["coingecko"])
      const its = yield* readValue(prices.totalMarket)
      assert.closeTo(total.value.marketCapUsd / its.marketCapUsd, 1, 1e-3)
      assert.closeTo(total.value.volume24hUsd! / its.volume24hUsd!, 1, 1e-2)
      const isRefreshed = Effect.map(storedPrices.coin("BTC"), ({ sources }) => sources.includes("coingecko"))
      yield* waitWithFixedClock("facts are refreshed", isRefreshed)
    })),
  60_000
)

const row = (coin: string, fields: Partial<ListedCoin>): ListedCoin => ({
  id: `${coin}-of-rank-${fields.rank}`,
  coin,
  name: coin,
  rank: 1,
  price: 100,
  circulatingSupply: 1_000,
  maxSupply: null,
  ...fields
})

it("resolves a ticker to its well-known coin, else to the largest coin with that price", () => {
  const ids = (all: ReadonlyArray<ListedCoin>, price?: number) => chooseCoin(all, "BTC", price)?.rank
  const [small, large, known] = [
    row("BTC", { rank: 900, price: 0.1 }),
    row("BTC", { rank: 5 }),
    row("BTC", { rank: 40, id: "btc-bitcoin" })
  ]
  assert.strictEqual(ids([small, large]), 5)
  assert.strictEqual(ids([small, large, known]), 40)
  assert.strictEqual(ids([small, large, known], 0.11), 900)
  assert.isUndefined(ids([small, large, known], 5))
  assert.isUndefined(ids([row("BTC", { rank: null }), row("ETH", {})]))
})

const failWith = (failure: SourceUnavailable["failure"]) =>
  Effect.fail(new SourceUnavailable({ source: "test", failure, reason: "as told", retryable: true }))

const bench = Effect.gen(function*() {
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: "market_caps", holder: "test", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return assert.fail("another process leads")
  const coinList: {
    listings: Effect.Effect<ReadonlyArray<CoinListing>, SourceUnavailable>
    coins: ReadonlyArray<ListedCoin> | null
  } = { listings: Effect.succeed([]), coins: [row("BTC", {}), row("SOL", {})] }
  const list: CoinList = {
    coins: () =>
      Effect.suspend(() =>
        coinList.coins === null
          ? failWith("unreachable")
          : Effect.succeed({ value: coinList.coins, receivedAt: now, date: null })
      ),
    total: failWith("unreachable")
  }
  const collector = makeCoinFactsCollector({
    coins: tracked.slice(0, 2),
    store,
    fetchListings: Effect.suspend(() => coinList.listings),
    coinLists: [{ source: "list", list }]
  })
  const candle = { open: 90, high: 100, low: 90, close: 95, volume: 1, quoteVolume: 95, takerBuyVolume: null }
  return {
    coinList,
    collect: Effect.gen(function*() {
      const { documents, faults } = yield* collector.fetch
      yield* store.writeDocuments({ kind: collector.kind, fence: leadership.fence, documents })
      return faults.map(({ failure }) => failure)
    }),
    record: (coin: string, time: number) =>
      store.writePoints({
        kind: pointsKinds.candles,
        fence: leadership.fence,
        series: [{
          subject: coin,
          source: "other",
          rows: [{ time: time - fineMs, ...candle }],
          covers: [{ from: now - 9 * dayMs, to: time }]
        }]
      }),
    coin: (coin: string) =>
      Effect.provide(Effect.flatMap(CoinPrices, (port) => readValue(port.coin(coin))), storedCoinPrices)
  }
})

it.effect("delists an unlisted coin at its last candle, only while other coins have newer candles", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { coin, collect, record, coinList } = yield* bench
    const listed = (...names: ReadonlyArray<string>) =>
      Effect.succeed(names.map((one) => ({ coin: one, listedAt: now - 99 * dayMs, venue: "venue" })))
    coinList.listings = listed("BTC", "SOL")
    yield* record("BTC", now)
    yield* record("SOL", now)
    yield* collect
    assert.isNull((yield* coin("SOL")).delistedAt)

    coinList.listings = listed("BTC")
    yield* TestClock.setTime(now + 20 * hourMs)
    yield* record("BTC", now + 20 * hourMs)
    yield* collect
    assert.isNull((yield* coin("SOL")).delistedAt)

    // While no coin has new candles, the missing candles of SOL do not prove a delisting.
    yield* TestClock.setTime(now + 2 * dayMs)
    yield* collect
    assert.isNull((yield* coin("SOL")).delistedAt)
    yield* record("BTC", now + 2 * dayMs)
    yield* collect
    assert.strictEqual((yield* coin("SOL")).delistedAt, now)
    assert.isNull((yield* coin("BTC")).delistedAt)

    coinList.listings = listed("BTC", "SOL")
    yield* collect
    assert.isNull((yield* coin("SOL")).delistedAt)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("keeps a supply for a day, and dates the listing at a blocked venue by the first candle", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { coin, collect, record, coinList } = yield* bench
    coinList.listings = failWith("blocked")
    yield* record("BTC", now)
    assert.deepStrictEqual(yield* collect, ["blocked"])
    const { circulatingSupply, listedAt } = yield* coin("BTC")
    assert.deepStrictEqual([circulatingSupply, listedAt], [1_000, now - 9 * dayMs])
    assert.strictEqual((yield* Effect.flip(coin("SOL")))._tag, "UnknownSymbol")

    coinList.coins = null
    yield* TestClock.setTime(now + 20 * hourMs)
    assert.deepStrictEqual(yield* collect, ["blocked", "unreachable"])
    assert.strictEqual((yield* coin("BTC")).circulatingSupply, 1_000)
    yield* TestClock.setTime(now + 25 * hourMs)
    yield* collect
    assert.isNull((yield* coin("BTC")).circulatingSupply)

    coinList.listings = failWith("unreachable")
    assert.strictEqual((yield* Effect.flip(collect))._tag, "SourceUnavailable")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("skips a total market value that is an hour old", () =>
  Effect.gen(function*() {
    const total = (time: number) =>
      Effect.succeed({ value: { time, marketCapUsd: 3e12, volume24hUsd: null }, receivedAt: now, date: null })
    const readTotal = (time: number) => {
      const list: CoinList = { coins: () => failWith("unreachable"), total: total(time) }
      return makeTotalMarketCapCollector({ coinLists: [{ source: "list", list }] }).snapshot!.fetch(["total"], now)
    }
    assert.deepStrictEqual((yield* readTotal(now - 5 * minuteMs)).map(({ rows }) => rows), [
      [{ time: now, marketCapUsd: 3e12, circulatingSupply: null, volume24hUsd: null }]
    ])
    assert.deepStrictEqual(yield* readTotal(now - hourMs), [])
  }))
