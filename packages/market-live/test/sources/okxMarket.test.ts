import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  type MarketRead,
  minuteMs,
  OrderBooks,
  readValue,
  type SourceUnavailable
} from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeFakeServer, makeOkxMarket } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { vi } from "vitest"
import { layerOkxMarket, type OkxContract, OkxMarket, SourceHealth } from "../../src/index.ts"
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
  books: Context.get(all, OrderBooks),
  derivatives: { ...derivatives, perpetuals: onlyBtc(derivatives.perpetuals) },
  prices: { ...prices, coins: onlyBtc(prices.coins), tickers: onlyBtc(prices.tickers) }
}

const symbol = "BTC-USDT"
const contract: OkxContract = {
  coin: "BTC",
  symbol: "BTC-USDT-SWAP",
  kind: "perpetual",
  coinsPerContract: 0.01,
  listedAt: 0,
  expiryAt: null,
  isTrading: true
}
const stepMs = 5 * minuteMs
const day = { from: now - dayMs, to: now }
const hours = { from: now - 2 * hourMs, to: now + 1 }
const ask = <A, E>(f: (market: OkxMarket["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(OkxMarket, f)

faultSuite<OkxMarket>({
  source: "okx",
  handleRequest: makeOkxMarket(ports),
  now,
  layer: (baseUrl, retryPolicy) => layerOkxMarket({ baseUrl, retryPolicy }),
  requests: [
    { name: "candles", send: ask((market) => market.candles({ symbol, interval: "5m", ...hours })) },
    // Fields that may be empty, for example for a contract that has not opened yet.
    {
      name: "contracts",
      send: ask((market) => market.contracts("dated", "USDT")),
      optionalLeaves: [
        "data.settleCcy",
        "data.ctType",
        "data.ctVal",
        "data.ctMult",
        "data.ctValCcy",
        "data.listTime",
        "data.expTime",
        "data.alias"
      ]
    },
    { name: "order book", send: ask((market) => market.orderBook(symbol)) },
    { name: "spot markets", send: ask((market) => market.spotMarkets("USDT")), optionalLeaves: ["data.listTime"] },
    {
      name: "tickers",
      send: ask((market) => market.tickers([{ coin: "BTC", symbol }])),
      optionalLeaves: ["data.last", "data.open24h", "data.high24h", "data.low24h", "data.volCcy24h"]
    },
    {
      name: "funding",
      send: ask((market) => market.funding([contract])),
      optionalLeaves: ["data.fundingRate", "data.fundingTime", "data.nextFundingTime", "data.prevFundingTime"]
    },
    {
      name: "open interest",
      send: ask((market) => market.openInterest("perpetual")),
      optionalLeaves: ["data.oiCcy", "data.oiUsd"]
    },
    { name: "marks", send: ask((market) => market.markPrices("perpetual")), optionalLeaves: ["data.markPx"] },
    { name: "indices", send: ask((market) => market.indexPrices("USDT")), optionalLeaves: ["data.idxPx"] },
    { name: "payments", send: ask((market) => market.fundingPayments({ contract, ...day, hoursNow: 8 })) },
    { name: "past open interest", send: ask((market) => market.openInterestHistory({ contract, ...hours })) },
    { name: "account ratios", send: ask((market) => market.accountRatios({ contract, ...hours })) },
    { name: "taker flow", send: ask((market) => market.takerFlow({ contract, ...hours })), byClock: "rows" }
  ],
  errorsInBody: {
    "too many requests": [{ code: "50011", msg: "Too Many Requests", data: [] }, "rate_limited"],
    "a busy system": [{ code: "50013", msg: "Systems are busy.", data: [] }, "unreachable"],
    "an invalid request": [{ code: "51000", msg: "Parameter bar error", data: [] }, "malformed"]
  }
})

const overWire = <A>(
  use: (market: OkxMarket["Service"], server: FakeServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeOkxMarket(ports))
    const layer = Layer.provide(layerOkxMarket({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), OkxMarket), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

it.live("returns spot markets, candles, minutes and days as the simulated market has them", () =>
  overWire((market, server) =>
    Effect.gen(function*() {
      const { listedAt } = yield* readValue(Effect.orDie(prices.coin("BTC")))
      const { value: markets } = yield* market.spotMarkets("USDT")
      const listing = { coin: "BTC", symbol, quote: "USDT", listedAt, isTrading: true }
      assert.deepStrictEqual(markets.find(({ coin }) => coin === "BTC"), listing)

      const query = { coin: "BTC", timeframe: "5m", ...hours } as const
      const candles = yield* readValue(Effect.orDie(prices.candleRange(query)))
      assert.isFalse(candles.at(-1)!.closed)
      const expectedCandles = candles.map((candle) => ({ ...candle, takerBuyVolume: null }))
      assert.deepStrictEqual((yield* market.candles({ symbol, interval: "5m", ...hours })).value, expectedCandles)
      assert.isNull((yield* market.candles({ symbol: "NOPE-USDT", interval: "5m", ...hours })).value)

      const longInterval = { from: now - 40 * dayMs, to: now }
      const { value: old } = yield* market.candles({ symbol, interval: "5m", ...longInterval })
      const first = Math.ceil(longInterval.from / stepMs) * stepMs
      assert.deepStrictEqual([old!.length, old![0]!.time], [100, first])
      const { value: minutes } = yield* market.candles({ symbol, interval: "1m", from: now - 10 * minuteMs, to: now })
      const after = now - 10 * minuteMs
      const points = (yield* readValue(Effect.orDie(prices.minutes({ coins: ["BTC"], after, until: now })))).get("BTC")!
      assert.deepStrictEqual(
        minutes!.map(({ close, time }) => ({ time: time + minuteMs, price: close })),
        points.points.slice(-minutes!.length)
      )
      assert.deepStrictEqual(server.requests.slice(1).map(({ path }) => path.split("/").at(-1)), [
        "candles",
        "candles",
        "history-candles",
        "candles"
      ])

      const { change24hPct, ...ticker } = yield* readValue(Effect.orDie(prices.ticker("BTC")))
      const [one] = (yield* market.tickers([{ coin: "BTC", symbol }, { coin: "NOPE", symbol: "NOPE-USDT" }])).value
      assert.closeTo(one!.change24hPct!, change24hPct!, 1e-9)
      const expected = { ...ticker, time: Math.trunc(ticker.time), marketCapUsd: null, change24hPct: one!.change24hPct }
      assert.deepStrictEqual(one, expected)
    })
  ))

it.live("returns current contract data as the simulated market has it, with sizes in coins", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const { listedAt } = yield* readValue(Effect.orDie(prices.coin("BTC")))
      const { value: perpetuals } = yield* market.contracts("perpetual", "USDT")
      assert.deepStrictEqual(perpetuals.filter(({ coin }) => coin === "BTC"), [{ ...contract, listedAt }])
      assert.isFalse(perpetuals.some((one) => one.symbol === "BTC-USD-SWAP"))

      const dated = (yield* market.contracts("dated", "USDT")).value.filter(({ coin }) => coin === "BTC")
      const futures = yield* readValue(Effect.orDie(derivatives.futures("BTC")))
      assert.deepStrictEqual(dated.map(({ expiryAt }) => expiryAt), futures.map(({ expiryAt }) => expiryAt))
      const { value: datedMarks } = yield* market.markPrices("dated")
      assert.deepStrictEqual(dated.map((one) => datedMarks.get(one.symbol)!.price), futures.map(({ price }) => price))

      const point = yield* readValue(Effect.orDie(derivatives.perpetual("BTC")))
      assert.deepStrictEqual((yield* market.markPrices("perpetual")).value.get(contract.symbol), {
        time: now,
        price: point.markPrice!
      })
      assert.deepStrictEqual((yield* market.indexPrices("USDT")).value.get("BTC"), {
        time: now,
        price: point.indexPrice!
      })

      const isOwn = ({ venue }: { readonly venue: string }) => venue === "okx"
      const { venue: _, ...funding } = (yield* readValue(Effect.orDie(derivatives.fundingByVenue("BTC")))).find(isOwn)!
      assert.deepStrictEqual((yield* market.funding([contract])).value, [{
        contract,
        ...funding,
        nextFundingAt: funding.nextFundingAt!,
        time: now
      }])
      const interest = (yield* readValue(Effect.orDie(derivatives.openInterestByVenue("BTC")))).find(isOwn)!
      const { openInterest, openInterestUsd } = interest
      assert.deepStrictEqual((yield* market.openInterest("perpetual")).value.get(contract.symbol), {
        time: now,
        openInterest,
        openInterestUsd
      })
    })
  ))

it.live("returns series of contracts as the simulated market has them, one page per request", () =>
  overWire((market) =>
    Effect.gen(function*() {
      const prints = yield* readValue(Effect.orDie(derivatives.fundingPayments({ coin: "BTC", ...day })))
      assert.deepStrictEqual((yield* market.fundingPayments({ contract, ...day, hoursNow: 8 })).value, prints)

      const { points } = yield* readValue(Effect.orDie(derivatives.perpetualHistory({ coin: "BTC", ...hours, stepMs })))
      assert.deepStrictEqual(
        (yield* market.openInterestHistory({ contract, ...hours })).value,
        points.map(({ openInterest, openInterestUsd, time }) => ({
          time,
          openInterest: openInterest!,
          openInterestUsd: openInterestUsd!
        }))
      )
      assert.deepStrictEqual(
        (yield* market.accountRatios({ contract, ...hours })).value,
        points.map(({ longShortRatio, time }) => ({ time, longShortRatio: longShortRatio! }))
      )
      const flow = yield* readValue(Effect.orDie(derivatives.takerFlow({ coin: "BTC", ...hours, stepMs })))
      const { value: buckets } = yield* market.takerFlow({ contract, ...hours })
      assert.deepStrictEqual(buckets, flow.points.filter(({ time }) => time >= hours.from))

      const days = { from: now - 3 * dayMs, to: now }
      const first = Math.ceil(days.from / stepMs) * stepMs
      for (const series of [market.openInterestHistory, market.accountRatios, market.takerFlow]) {
        const { value } = yield* series({ contract, ...days })
        assert.deepStrictEqual([value[0]!.time, value.length >= 97], [first, true])
      }
    })
  ))

it.live("leaves out an instrument with missing values, and returns the others", () =>
  overWire((market, server) =>
    Effect.gen(function*() {
      const ts = String(now)
      const row = { instId: "ETH-USDT-SWAP", ts, fundingRate: "0.0001", fundingTime: "1795190400000" }
      const data = [
        { ...row, nextFundingTime: "1795204800000" },
        { ...row, instId: contract.symbol, fundingRate: "", nextFundingTime: "", oiCcy: "", oiUsd: "", markPx: "" }
      ]
      const eth = { ...contract, coin: "ETH", symbol: "ETH-USDT-SWAP" }
      server.fail({ _tag: "answer", body: { code: "0", msg: "", data } })
      assert.deepStrictEqual((yield* market.funding([contract, eth])).value, [{
        contract: eth,
        time: now,
        fundingRate: 0.0001,
        intervalHours: 4,
        nextFundingAt: 1_795_190_400_000
      }])
      const listed = data.map((one) => ({ oiCcy: "2", oiUsd: "3", markPx: "4", ...one }))
      server.fail({ _tag: "answer", body: { code: "0", msg: "", data: listed } })
      assert.deepStrictEqual([...(yield* market.openInterest("perpetual")).value.keys()], ["ETH-USDT-SWAP"])
      assert.deepStrictEqual([...(yield* market.markPrices("perpetual")).value.keys()], ["ETH-USDT-SWAP"])
    })
  ))

it.live("sends requests to openapi.okx.com unless another host is set", () =>
  Effect.gen(function*() {
    const hostOf = Effect.fnUntraced(function*(options: Parameters<typeof layerOkxMarket>[0]) {
      const fetched = vi.fn<typeof fetch>(() => Promise.reject(new TypeError("no network in this test")))
      vi.stubGlobal("fetch", fetched)
      const layer = layerOkxMarket({ ...options, retryPolicy: { maxTries: 1 } }).pipe(
        Layer.provide(SourceHealth.layer)
      )
      const market = Context.get(yield* Layer.build(layer), OkxMarket)
      assert.strictEqual((yield* Effect.flip(market.markPrices("perpetual"))).failure, "unreachable")
      return fetched.mock.calls.map(([url]) => new URL(url instanceof Request ? url.url : url).origin)
    })
    assert.deepStrictEqual(yield* hostOf({}), ["https://openapi.okx.com"])
    assert.deepStrictEqual(yield* hostOf({ baseUrl: "https://eea.okx.com" }), ["https://eea.okx.com"])
  }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => vi.unstubAllGlobals()))))
