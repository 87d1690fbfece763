import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  type MarketRead,
  minuteMs,
  readValue,
  type SourceUnavailable
} from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeBybitMarket, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { BybitMarket, layerBybitMarket, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const all = portsOfFewCoins
const derivatives = Context.get(all, CoinDerivatives)
const prices = Context.get(all, CoinPrices)
const onlyBtc = <A extends { readonly coin: string }>(
  read: MarketRead<ReadonlyArray<A>>
): MarketRead<ReadonlyArray<A>> =>
  Effect.map(
    read,
    (reading) => ({ ...reading, value: reading.value.filter(({ coin }) => coin === "BTC" || coin === "ETH") })
  )
const ports = {
  derivatives: { ...derivatives, perpetuals: onlyBtc(derivatives.perpetuals) },
  prices: { ...prices, coins: onlyBtc(prices.coins), tickers: onlyBtc(prices.tickers) }
}

const symbol = "BTCUSDT"
const contract = { symbol, unit: 1 }
const day = { from: now - dayMs, to: now }
const hours = { from: now - 2 * hourMs, to: now + 1 }
const ask = <A, E>(f: (market: BybitMarket["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(BybitMarket, f)

faultSuite<BybitMarket>({
  source: "bybit",
  handleRequest: makeBybitMarket(ports),
  now,
  layer: (baseUrl, retryPolicy) => layerBybitMarket({ baseUrl, retryPolicy }),
  requests: [
    { name: "candles", send: ask((market) => market.candles({ symbol, interval: "5m", ...hours })) },
    // The optional fields are empty for dated futures and for contracts that have not opened yet.
    {
      name: "marks",
      send: ask((market) => market.marks([contract])),
      // The first record is the requested contract, without which the result would be empty.
      position: "last",
      optionalLeaves: [
        "result.list.markPrice",
        "result.list.indexPrice",
        "result.list.singleOpenInterest",
        "result.list.singleOpenInterestValue",
        "result.list.fundingRate",
        "result.list.nextFundingTime",
        "result.list.fundingIntervalHour",
        "result.list.deliveryTime"
      ]
    },
    {
      name: "contracts",
      send: ask((market) => market.contracts("USDT")),
      skipsMalformed: true,
      optionalLeaves: ["result.list.deliveryTime", "result.nextPageCursor"]
    },
    { name: "spot markets", send: ask((market) => market.spotMarkets("USDT")) },
    { name: "first month", send: ask((market) => market.firstMonth(symbol)) },
    { name: "tickers", send: ask((market) => market.tickers([{ coin: "BTC", symbol }])) },
    { name: "funding payments", send: ask((market) => market.fundingPayments({ contract, ...day, hoursNow: 8 })) },
    { name: "open interest", send: ask((market) => market.openInterestHistory({ contract, ...hours })) },
    { name: "account ratios", send: ask((market) => market.accountRatios({ contract, ...hours })) }
  ],
  limitedBy403: "403, access too frequent",
  errorsInBody: {
    "too many visits": [{ retCode: 10006, retMsg: "Too many visits!", result: {}, time: now }, "rate_limited"],
    "a banned address": [{ retCode: 10009, retMsg: "IP has been banned.", result: {}, time: now }, "rate_limited"],
    "a restricted location": [{ retCode: 10024, retMsg: "Compliance rules", result: {}, time: now }, "blocked"],
    "an internal error": [{ retCode: 10016, retMsg: "Internal System Error.", result: {}, time: now }, "unreachable"],
    "an invalid request": [{ retCode: 10001, retMsg: "params error", result: {}, time: now }, "malformed"]
  }
})

const overWire = <A>(
  use: (market: BybitMarket["Service"], server: FakeServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeBybitMarket(ports))
    const layer = Layer.provide(layerBybitMarket({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), BybitMarket), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

it.live("returns series as the simulated market has them, and missing data as null", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const candleQuery = { coin: "BTC", timeframe: "5m", ...hours } as const
      const { value: candles } = yield* Effect.orDie(prices.candleRange(candleQuery))
      assert.isFalse(candles.at(-1)!.closed)
      assert.deepStrictEqual(
        (yield* market.candles({ symbol, interval: "5m", ...hours })).value,
        candles.map((candle) => ({ ...candle, takerBuyVolume: null }))
      )
      assert.isNull((yield* market.candles({ symbol: "NOPEUSDT", interval: "5m", ...hours })).value)

      const { value: prints } = yield* Effect.orDie(derivatives.fundingPayments({ coin: "BTC", ...day }))
      assert.deepStrictEqual((yield* market.fundingPayments({ contract, ...day, hoursNow: 8 })).value, prints)

      const { value: { points } } = yield* Effect.orDie(
        derivatives.perpetualHistory({ coin: "BTC", ...hours, stepMs: 300_000 })
      )
      assert.deepStrictEqual(
        (yield* market.openInterestHistory({ contract, ...hours })).value,
        points.map(({ openInterest, time }) => ({ time, openInterest: openInterest! }))
      )
      const { value: ratios } = yield* market.accountRatios({ contract, ...hours })
      assert.deepStrictEqual(ratios.map(({ time }) => time), points.map(({ time }) => time))
      ratios.forEach(({ longShortRatio }, i) => assert.closeTo(longShortRatio, points[i]!.longShortRatio!, 1e-9))
    })
  ))

it.live("returns current data as the simulated market has it", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const { value: point } = yield* Effect.orDie(derivatives.perpetual("BTC"))
      const { value: fundings } = yield* Effect.orDie(derivatives.fundingByVenue("BTC"))
      const { value: interests } = yield* Effect.orDie(derivatives.openInterestByVenue("BTC"))
      const funding = fundings.find(({ venue }) => venue === "bybit")!
      const interest = interests.find(({ venue }) => venue === "bybit")!
      assert.deepStrictEqual((yield* market.marks([contract, { symbol: "NOPEUSDT", unit: 1 }])).value, [{
        contract,
        time: now,
        markPrice: point.markPrice!,
        indexPrice: point.indexPrice,
        fundingRate: funding.fundingRate,
        intervalHours: funding.intervalHours,
        nextFundingAt: funding.nextFundingAt,
        openInterest: interest.openInterest,
        openInterestUsd: interest.openInterestUsd
      }])
    })
  ))

it.live("returns listings, minutes, days and 24-hour figures as the simulated market has them", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const markets = (yield* market.spotMarkets("USDT")).value
      assert.deepStrictEqual(markets[0], { coin: "BTC", symbol, quote: "USDT", isTrading: true })
      const { listedAt } = yield* readValue(Effect.orDie(prices.coin("BTC")))
      const { value: contracts } = yield* market.contracts("USDT")
      const btcContracts = contracts.filter(({ coin }) => coin === "BTC")
      assert.deepStrictEqual(btcContracts[0], {
        ...contract,
        coin: "BTC",
        kind: "perpetual",
        listedAt,
        expiryAt: null,
        isTrading: true
      })
      const futures = yield* readValue(Effect.orDie(derivatives.futures("BTC")))
      assert.deepStrictEqual(
        btcContracts.slice(1).map(({ expiryAt }) => expiryAt),
        futures.map(({ expiryAt }) => expiryAt)
      )
      const { value: dated } = yield* market.marks(btcContracts.slice(1))
      assert.deepStrictEqual(
        dated.map(({ fundingRate, indexPrice, markPrice }) => [markPrice, indexPrice, fundingRate]),
        futures.map(({ indexPrice, price }) => [price, indexPrice, null])
      )

      const month = (yield* market.firstMonth(symbol)).value!
      assert.strictEqual(new Date(month).toISOString().slice(0, 7), new Date(listedAt).toISOString().slice(0, 7))
      const days = (yield* market.candles({ symbol, interval: "1d", from: month, to: month + 32 * dayMs })).value!
      assert.strictEqual(days[0]!.time, Math.floor(listedAt / dayMs) * dayMs)
      assert.isNull((yield* market.firstMonth("NOPEUSDT")).value)

      const after = now - 10 * minuteMs
      const { value: minutes } = yield* market.candles({ symbol, interval: "1m", from: after, to: now })
      const points = (yield* readValue(Effect.orDie(prices.minutes({ coins: ["BTC"], after, until: now })))).get("BTC")!
      assert.deepStrictEqual(
        minutes!.map(({ close, time }) => ({ time: time + minuteMs, price: close })),
        points.points.slice(-minutes!.length)
      )
      const { change24hPct, ...ticker } = yield* readValue(Effect.orDie(prices.ticker("BTC")))
      const [day] = (yield* market.tickers([{ coin: "BTC", symbol }])).value
      assert.closeTo(day!.change24hPct!, change24hPct!, 1e-9)
      const expected = { ...ticker, time: now, marketCapUsd: null, change24hPct: day!.change24hPct }
      assert.deepStrictEqual(day, expected)
    })
  ))

it.live("requests no more than one response holds, from the start of the interval", () =>
  overWire((market, server) =>
    Effect.gen(function*() {
      const from = now - 30 * dayMs
      const first = Math.ceil(from / 300_000) * 300_000
      const { value: interest } = yield* market.openInterestHistory({ contract, from, to: now })
      const { value: ratios } = yield* market.accountRatios({ contract, from, to: now })
      const { value: candles } = yield* market.candles({ symbol, interval: "5m", from, to: now })
      assert.deepStrictEqual([interest.length, ratios.length, candles!.length], [200, 500, 1_000])
      for (const series of [interest, ratios, candles!]) assert.strictEqual(series[0]!.time, first)
      assert.deepStrictEqual(server.requests.map(({ path }) => path), [
        "/v5/market/open-interest",
        "/v5/market/account-ratio",
        "/v5/market/kline"
      ])
    })
  ))

it.live("reads all pages of the list of contracts", () =>
  overWire((market, server) =>
    Effect.gen(function*() {
      const { value: all } = yield* market.contracts("USDT")
      const secondMarket = Context.get(
        yield* Layer.build(Layer.provide(layerBybitMarket({ baseUrl: server.url }), SourceHealth.layer)),
        BybitMarket
      )
      const cursor = `"nextPageCursor":"first%3DA%26last%3DB"`
      server.fail({ _tag: "rewritten", rewrite: (text) => text.replace(`"nextPageCursor":""`, cursor) }, 1)
      assert.deepStrictEqual((yield* secondMarket.contracts("USDT")).value, all)
      assert.deepStrictEqual(server.requests.map(({ query }) => query.get("cursor")), [
        null,
        null,
        "first%3DA%26last%3DB"
      ])
    })
  ))
