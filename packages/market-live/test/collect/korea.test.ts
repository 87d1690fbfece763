import { assert, layer as withLayer } from "@effect/vitest"
import { getKimchiPremium, getKrListings, runAsOf } from "@tapeline/core"
import {
  type Coin,
  CoinPrices,
  dayMs,
  ExchangeRates,
  hourMs,
  KoreanCoinMarkets,
  type MarketPorts,
  minuteMs,
  type Reading,
  readValue,
  UnknownSymbol
} from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { exchangeRatesContract } from "@tapeline/testing/contracts/exchangeRates"
import { koreanCoinMarketsContract } from "@tapeline/testing/contracts/koreanCoinMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { makeBinanceSpot, makeBithumb, makeEcb, makeFakeServer, makeUpbit } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  BinanceSpot,
  binanceSpotVenue,
  ecbCollectors,
  krwCollectors,
  layerBinanceSpot,
  layerBithumb,
  layerCollectors,
  layerEcbRates,
  layerUpbit,
  MarketHealth,
  SourceHealth
} from "../../src/index.ts"
import { krwTickerDocument } from "../../src/stored/documents.ts"
import { storedExchangeRates } from "../../src/stored/exchangeRates.ts"
import { storedKoreanCoinMarkets } from "../../src/stored/koreanCoinMarkets.ts"
import { writeFacts } from "../support/collectPrices.ts"
import { callToolOver } from "../support/everyTool.ts"
import { sharedPorts, sharedWorld } from "../support/sharedWorld.ts"
import { advanceTo, advanceUntil, waitWithFixedClock } from "../support/until.ts"

/** The time at which one market closes and another opens. */
const six = Date.parse("2026-11-20T06:00:00.000Z")
const start = six - 12 * minuteMs
const now = six + 20 * minuteMs + 4_000

const all = sharedPorts
const [prices, rates, wholeKorea] = [
  Context.get(all, CoinPrices),
  Context.get(all, ExchangeRates),
  Context.get(all, KoreanCoinMarkets)
]
/** Coins that have traded for a long time. The markets of the coins in `coming` open or close during the test. */
const few = ["BTC", "DOGE", "XLM", "USDT"]
const coming = new Set(sharedWorld.korea.getListings(start - 60 * dayMs, now, now).map(({ coin }) => coin))
const markets: KoreanCoinMarkets["Service"] = {
  ...wholeKorea,
  tickers: Effect.map(wholeKorea.tickers, (read) => ({
    ...read,
    value: read.value.filter(({ coin }) => few.includes(coin) || coming.has(coin))
  }))
}
const sim = Context.add(all, KoreanCoinMarkets, markets)
const quoteless = "XLM"

const abroad: CoinPrices["Service"] = {
  ...prices,
  coins: Effect.map(prices.coins, (read) => ({ ...read, value: read.value.filter(({ coin }) => coin !== quoteless) })),
  coin: (coin) => coin === quoteless ? Effect.fail(new UnknownSymbol({ symbol: coin })) : prices.coin(coin)
}

/** A coin that trades only in Korea, so that no foreign venue has a price. */
const korean = "DOGE"
const withoutKorean = (read: Reading<ReadonlyArray<Coin>>) => ({
  ...read,
  value: read.value.filter(({ coin }) => coin !== korean)
})

/** Collects both exchanges and the rates into a store, through an outage of seven minutes. */
const collecting = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const servers = {
    upbit: yield* makeFakeServer(makeUpbit(markets)),
    bithumb: yield* makeFakeServer(makeBithumb(markets)),
    ecb: yield* makeFakeServer(makeEcb(rates)),
    binance: yield* makeFakeServer(
      makeBinanceSpot(abroad, { orderBook: () => Effect.die(new Error("order books are not requested")) })
    )
  }
  const sources = Layer.mergeAll(
    layerUpbit({ baseUrl: servers.upbit.url }),
    layerBithumb({ baseUrl: servers.bithumb.url }),
    layerEcbRates({ baseUrl: servers.ecb.url }),
    layerBinanceSpot({ baseUrl: servers.binance.url })
  )
  const collectors = Layer.unwrap(
    Effect.gen(function*() {
      const venues = [binanceSpotVenue(yield* BinanceSpot)] as const
      const krwMarkets = yield* krwCollectors({ krwDays: 3, usdtDays: 9, venues })
      return layerCollectors([...krwMarkets, ...yield* ecbCollectors({ ecbDays: 20 })])
    })
  )
  const context = yield* Layer.build(
    collectors.pipe(
      Layer.provide(sources),
      Layer.provideMerge(MemoryMarketStore),
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer)
    )
  )
  const [health, store] = [Context.get(context, MarketHealth), Context.get(context, MarketStore)]
  const missing = Effect.map(
    health.report,
    ({ collectorsBySource }) =>
      collectorsBySource.flatMap((one) => one.collectors).reduce((sum, { missingMs }) => sum + missingMs, 0)
  )
  const isWhole = Effect.map(
    Effect.all([health.report, missing]),
    ([{ collectorsBySource }, ms]) =>
      ms === 0 && collectorsBySource.length === 3 &&
      collectorsBySource.every(({ collectors: all }) =>
        all.length > 0 && all.every(({ completeAt }) => completeAt !== null)
      )
  )
  yield* advanceUntil("all is collected", isWhole)
  yield* advanceTo(six + 3 * minuteMs)
  for (const server of Object.values(servers)) server.fail({ _tag: "reset" })
  yield* advanceTo(six + 10 * minuteMs)
  for (const server of Object.values(servers)) server.heal()
  yield* advanceTo(now)
  const areTickersStored = Effect.map(
    store.documents({ kind: krwTickerDocument.kind }),
    (rows) => ["upbit:BTC", "bithumb:BTC"].every((key) => rows.get(key)?.time === now)
  )
  yield* waitWithFixedClock("the tickers are current", areTickersStored)
  return { store, missingMs: yield* missing }
})

const collected = Effect.scoped(collecting).pipe(
  Effect.tap(({ store }) =>
    Effect.gen(function*() {
      const leadership = yield* store.acquireLeadership({ source: "facts", holder: "test", ttlMs: hourMs })
      if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
      const collection = {
        now,
        until: now,
        coins: [],
        lost: [],
        delisted: {},
        sparseCoins: [],
        candleDays: 0,
        priceDays: 0,
        perpetualDays: 0
      }
      yield* Effect.provideService(
        runAsOf(writeFacts({ store, fence: leadership.fence, collection }), now),
        CoinPrices,
        { ...prices, coins: Effect.map(prices.coins, withoutKorean) }
      )
    })
  ),
  Effect.provide(TestClock.layer()),
  Effect.orDie
)
const readOnce = Effect.runSync(Effect.cached(collected))
const ports = Layer.merge(storedKoreanCoinMarkets, storedExchangeRates).pipe(
  Layer.provideMerge(Layer.effect(MarketStore, Effect.map(readOnce, ({ store }) => store)))
)

withLayer(ports, { timeout: 120_000 })("collected KRW markets", (it) => {
  it.effect("have no gap after an outage of the exchanges", () =>
    Effect.gen(function*() {
      const { missingMs } = yield* readOnce
      assert.strictEqual(missingMs, 0)
      const store = yield* MarketStore
      const records = yield* store.records({ kind: pointsKinds.krwMarkets })
      const gaps = yield* store.gaps({
        kind: pointsKinds.krwMarkets,
        subjects: ["upbit:BTC", "bithumb:DOGE"],
        from: now - 2 * dayMs,
        to: now
      })
      assert.isAbove(records.size, 10)
      for (const gap of gaps.values()) assert.deepStrictEqual(gap, { lost: [], missing: [] })
    }))

  it.effect("return each exchange's own tickers with the foreign price of that time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const storedTickers = yield* readValue((yield* KoreanCoinMarkets).tickers)
      const direct = yield* readValue(markets.tickers)
      const keyOf = ({ coin, exchange }: typeof direct[number]) => `${exchange}:${coin}`
      assert.deepStrictEqual(storedTickers.map(keyOf), direct.map(keyOf))
      for (const [i, actualListing] of storedTickers.entries()) {
        const its = direct[i]!
        assert.deepStrictEqual([actualListing.krwPrice, actualListing.volume24hKrw, actualListing.time], [
          its.krwPrice,
          its.volume24hKrw,
          now
        ])
        assert.strictEqual(
          actualListing.listedAt,
          Math.floor(its.listedAt! / minuteMs) * minuteMs,
          keyOf(actualListing)
        )
        if (actualListing.coin === quoteless) assert.isNull(actualListing.usdtPrice)
        else assert.closeTo(actualListing.usdtPrice! / its.usdtPrice!, 1, 2e-3)
        if (its.change24hPct === null) assert.isNull(actualListing.change24hPct)
        else assert.closeTo(actualListing.change24hPct!, its.change24hPct, 1, keyOf(actualListing))
      }
    }))

  it.effect("have the market's history, whether recorded live or backfilled", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const storedMarkets = yield* KoreanCoinMarkets
      for (const coin of ["BTC", korean, quoteless]) {
        for (const exchange of ["upbit", "bithumb"] as const) {
          const query = { coin, exchange, stepMs: 5 * minuteMs, from: now - 2 * dayMs, to: now }
          const [storedPoints, its] = [
            yield* readValue(storedMarkets.history(query)),
            yield* readValue(markets.history(query))
          ]
          assert.deepStrictEqual(storedPoints.points.map(({ time }) => time), its.points.map(({ time }) => time))
          for (const [i, point] of storedPoints.points.entries()) {
            const right = its.points[i]!
            assert.closeTo(point.krwPrice / right.krwPrice, 1, 3e-3)
            assert.closeTo(point.usdtKrw! / right.usdtKrw!, 1, 3e-3)
            if (coin === quoteless) assert.isNull(point.usdtPrice)
            else assert.closeTo(point.usdtPrice! / right.usdtPrice!, 1, 3e-3)
          }
        }
      }
    }))
})

type Listings = typeof getKrListings["result"]["Type"]

const comparedPorts = Effect.gen(function*() {
  yield* TestClock.setTime(now)
  const rate = yield* readValue((yield* ExchangeRates).rate({ pair: "usd_krw" }))
  // The ECB has not published today's rate yet.
  assert.strictEqual(new Date(rate.quotedAt).toISOString(), "2026-11-19T13:15:00.000Z")
  const daily: ExchangeRates["Service"] = {
    ...rates,
    rate: (query) =>
      query.pair === "usd_krw"
        ? Effect.succeed({ value: rate, sources: ["ecb"], asOf: rate.quotedAt })
        : rates.rate(query)
  }
  return {
    collectedPorts: Layer.merge(Layer.succeedContext(sim), ports),
    referencePorts: Layer.merge(Layer.succeedContext(sim), Layer.succeed(ExchangeRates, daily))
  }
})

withLayer(ports, { timeout: 120_000 })("tools over collected KRW markets", (it) => {
  it.effect("return the market's premiums at the daily exchange rate", () =>
    Effect.gen(function*() {
      const { referencePorts, collectedPorts } = yield* comparedPorts
      for (const args of [{ scan_all: true, top: 50 }, { top: 50 }, { coin: "BTC" }]) {
        const ask = (over: Layer.Layer<MarketPorts>) => callToolOver(over, getKimchiPremium, args)
        const [actual, right] = [yield* ask(collectedPorts), yield* ask(referencePorts)]
        assert.strictEqual(actual.scanned, right.scanned)
        assert.sameMembers(actual.rows.map(({ coin }) => coin), right.rows.map(({ coin }) => coin))
        for (const row of actual.rows) {
          const other = right.rows.find(({ coin }) => coin === row.coin)!
          assert.strictEqual(row.exchange, other.exchange)
          assert.strictEqual(row.krw_price, other.krw_price)
          assert.strictEqual(row.is_new_listing, other.is_new_listing)
          if (row.coin !== quoteless) assert.closeTo(row.premium_pct!, other.premium_pct!, 0.3, row.coin)
        }
      }
    }))

  it.effect("return the market's listings, and note that they are inferred", () =>
    Effect.gen(function*() {
      const { referencePorts, collectedPorts } = yield* comparedPorts
      const ask = (over: Layer.Layer<MarketPorts>) => callToolOver(over, getKrListings, {})
      const [actual, right] = [yield* ask(collectedPorts), yield* ask(referencePorts)]
      const open = ({ listings }: Listings) => listings.filter(({ delisted_at }) => delisted_at === null)
      const fields = ({ coin, exchange, krw_price, listed_at }: Listings["listings"][number]) => [
        coin,
        exchange,
        krw_price,
        listed_at
      ]
      assert.isAbove(open(actual).length, 2)
      assert.deepStrictEqual(open(actual).map(fields), open(right).map(fields).slice(0, open(actual).length))
      assert.isTrue(actual.notes.some((note) => note.includes("the first trade")))
    }))
})

const name = "data collected from Upbit, Bithumb and the ECB"
const waivedOutage = waive("the exchanges return the data of an outage afterwards")

koreanCoinMarketsContract(name, ports, {
  now,
  coin: "BTC",
  unlisted: "DAI",
  outage: waivedOutage,
  quoteless,
  listing: sharedWorld.korea.getListings(now - dayMs, now, now).at(-1) ?? waive("no market opened in the last day"),
  delisting: sharedWorld.korea.getDelistings(start, now).at(-1) ?? waive("no market closed"),
  closedCoin: sharedWorld.korea.getDelistings(start, now).at(-1)?.coin ?? waive("no market closed")
}, { timeoutMs: 120_000 })
exchangeRatesContract(name, ports, { now, outage: waivedOutage }, { timeoutMs: 120_000 })
