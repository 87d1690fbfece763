import { type Candle, dayMs, hourMs, type Interval, minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { coinOf, valueOrNull } from "../binance/responses.ts"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { readMinuteCandles } from "../server/minuteCandles.ts"
import { formatDecimal, queryNumber } from "../server/numbers.ts"
import { type BybitPorts, datedFutures, okResponse, serveInstruments, symbolOf } from "./instruments.ts"

const stepMs = 5 * minuteMs

/** Returns Bybit's open interest, where `openInterest` counts both sides of each contract. */
const openInterestFields = (single: number) => ({
  openInterest: formatDecimal(2 * single),
  singleOpenInterest: formatDecimal(single)
})

const unknownSymbol = okResponse(10001, "Not supported symbols")
type Rows = (coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<unknown>>

const makeSeries = (
  { maxLimit, names, rows, defaultLimit }: {
    readonly names: readonly [from: string, to: string]
    readonly defaultLimit: number
    readonly maxLimit: number
    readonly rows: Rows
  },
  { prices }: BybitPorts
) =>
  Effect.fnUntraced(function*({ query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const coin = coinOf(query.get("symbol"))
    const facts = coin === undefined ? null : yield* valueOrNull(prices.coin(coin))
    if (facts === null) return yield* unknownSymbol
    const now = yield* Clock.currentTimeMillis
    const limit = Math.min(maxLimit, queryNumber(query, "limit") ?? defaultLimit)
    const end = Math.min(now, queryNumber(query, names[1]) ?? now)
    const from = Math.max(facts.listedAt, queryNumber(query, names[0]) ?? end - limit * stepMs)
    const points = from > end ? [] : yield* rows(facts.coin, { from, to: end + 1 })
    const list = points.slice(-limit).toReversed()
    const category = query.get("category")
    return yield* okResponse(0, "OK", { category, symbol: symbolOf(facts.coin), list, nextPageCursor: "" })
  })

const spotTickers = Effect.fnUntraced(function*({ prices }: BybitPorts): Effect.fn.Return<FakeResponse> {
  const { value } = yield* Effect.orDie(prices.tickers)
  const list = value.map(({ change24hPct, coin, high24h, low24h, price, volume24hUsd }) => ({
    symbol: symbolOf(coin),
    bid1Price: formatDecimal(price),
    lastPrice: formatDecimal(price),
    prevPrice24h: formatDecimal(price / (1 + (change24hPct ?? 0) / 100)),
    price24hPcnt: formatDecimal((change24hPct ?? 0) / 100),
    highPrice24h: formatDecimal(high24h ?? price),
    lowPrice24h: formatDecimal(low24h ?? price),
    turnover24h: formatDecimal(volume24hUsd ?? 0),
    volume24h: formatDecimal((volume24hUsd ?? 0) / price)
  }))
  return yield* okResponse(0, "OK", { category: "spot", list })
})

const tickers = Effect.fnUntraced(function*({ derivatives }: BybitPorts): Effect.fn.Return<FakeResponse> {
  const { value: points } = yield* Effect.orDie(derivatives.perpetuals)
  const list: Array<object> = []
  for (const { coin, indexPrice, markPrice } of points) {
    const funding = (yield* valueOrNull(derivatives.fundingByVenue(coin)))?.find(({ venue }) => venue === "bybit")
    const interest = (yield* valueOrNull(derivatives.openInterestByVenue(coin)))?.find(({ venue }) => venue === "bybit")
    const now = yield* Clock.currentTimeMillis
    list.push({
      symbol: symbolOf(coin),
      lastPrice: formatDecimal(markPrice ?? 0),
      indexPrice: formatDecimal(indexPrice ?? 0),
      markPrice: formatDecimal(markPrice ?? 0),
      ...openInterestFields(interest?.openInterest ?? 0),
      openInterestValue: formatDecimal(2 * (interest?.openInterestUsd ?? 0)),
      singleOpenInterestValue: formatDecimal(interest?.openInterestUsd ?? 0),
      fundingRate: formatDecimal(funding?.fundingRate ?? 0),
      nextFundingTime: String(funding?.nextFundingAt ?? Math.ceil((now + 1) / (8 * hourMs)) * 8 * hourMs),
      predictedDeliveryPrice: "",
      basisRate: "",
      deliveryFeeRate: "",
      deliveryTime: "0",
      curPreListingPhase: "",
      fundingIntervalHour: String(funding?.intervalHours ?? 8)
    })
    for (const { future, symbol } of yield* datedFutures(derivatives, coin)) {
      list.push({
        symbol,
        lastPrice: formatDecimal(future.price),
        indexPrice: formatDecimal(future.indexPrice),
        markPrice: formatDecimal(future.price),
        ...openInterestFields(0),
        openInterestValue: "0",
        singleOpenInterestValue: "0",
        fundingRate: "",
        nextFundingTime: "0",
        basisRate: "0.0042",
        deliveryTime: String(future.expiryAt),
        fundingIntervalHour: ""
      })
    }
  }
  return yield* okResponse(0, "OK", { category: "linear", list })
})

const klineRow = ({ close, high, low, open, quoteVolume, time, volume }: Candle) => [
  String(time),
  ...[open, high, low, close, volume, quoteVolume].map(formatDecimal)
]

/**
 * Returns monthly candles. The times are correct, but the prices are of one day, because clients read only the times.
 */
const monthsOf = (days: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  [...new Map(days.toReversed().map((day) => [new Date(day.time).toISOString().slice(0, 7), day])).values()]
    .map((day) => ({ ...day, time: Date.parse(`${new Date(day.time).toISOString().slice(0, 7)}-01T00:00:00Z`) }))
    .toReversed()

const klines = (ports: BybitPorts): (request: FakeRequest) => Effect.Effect<FakeResponse> => {
  const { prices } = ports
  const ranged = (timeframe: "1d" | "5m") => (coin: string, interval: Interval) =>
    Effect.map(valueOrNull(prices.candleRange({ coin, timeframe, ...interval })), (candles) => candles ?? [])
  const minutes = (coin: string, { from, to }: Interval) =>
    readMinuteCandles(prices, coin, Math.ceil(from / minuteMs) * minuteMs, to)
  const makeKlineSeries = (candles: (coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<Candle>>) => {
    const rows: Rows = (coin, interval) => Effect.map(candles(coin, interval), (candles) => candles.map(klineRow))
    return makeSeries({ names: ["start", "end"], defaultLimit: 200, maxLimit: 1_000, rows }, ports)
  }
  const day = ranged("1d")
  const lengths: Readonly<Record<string, (request: FakeRequest) => Effect.Effect<FakeResponse>>> = {
    1: makeKlineSeries(minutes),
    5: makeKlineSeries(ranged("5m")),
    // The series includes the candle in which a market opened. The time of this candle is the beginning of the day or
    // month.
    D: makeKlineSeries((coin, { from, to }) => day(coin, { from: Math.floor(from / dayMs) * dayMs, to })),
    M: makeKlineSeries((coin, { from, to }) =>
      Effect.map(day(coin, { from: Math.floor(from / dayMs) * dayMs, to }), monthsOf)
    )
  }
  return (request) => lengths[request.query.get("interval") ?? ""]?.(request) ?? okResponse(10001, "Invalid period!")
}

/** Creates a fake of Bybit's market data API, according to Bybit's REST documentation. */
export const makeBybitMarket = (ports: BybitPorts): RequestHandler => {
  const { derivatives } = ports
  const points = (coin: string, interval: Interval) =>
    Effect.map(valueOrNull(derivatives.perpetualHistory({ coin, ...interval, stepMs })), (flow) => flow?.points ?? [])
  const times = ["startTime", "endTime"] as const
  const payments: Rows = (coin, interval) =>
    Effect.map(
      valueOrNull(derivatives.fundingPayments({ coin, ...interval })),
      (payments) =>
        (payments ?? []).map(({ fundingRate, time }) => ({
          symbol: symbolOf(coin),
          fundingRate: formatDecimal(fundingRate),
          fundingRateTimestamp: String(time)
        }))
    )
  const interest: Rows = (coin, interval) =>
    Effect.map(points(coin, interval), (points) =>
      points.map(({ openInterest, time }) => ({
        ...openInterestFields(openInterest ?? 0),
        timestamp: String(time)
      })))
  const ratios: Rows = (coin, interval) =>
    Effect.map(points(coin, interval), (points) =>
      points.map(({ longShortRatio, time }) => {
        const ratio = longShortRatio ?? 1
        return {
          symbol: symbolOf(coin),
          buyRatio: formatDecimal(ratio / (1 + ratio)),
          sellRatio: formatDecimal(1 / (1 + ratio)),
          timestamp: String(time)
        }
      }))
  const answers: Readonly<Record<string, (request: FakeRequest) => Effect.Effect<FakeResponse>>> = {
    "/v5/market/kline": klines(ports),
    "/v5/market/tickers": ({ query }) => query.get("category") === "spot" ? spotTickers(ports) : tickers(ports),
    "/v5/market/instruments-info": ({ query }) => serveInstruments(ports, query.get("category")),
    "/v5/market/funding/history": makeSeries({ names: times, defaultLimit: 200, maxLimit: 200, rows: payments }, ports),
    "/v5/market/open-interest": makeSeries({ names: times, defaultLimit: 50, maxLimit: 200, rows: interest }, ports),
    "/v5/market/account-ratio": makeSeries({ names: times, defaultLimit: 50, maxLimit: 500, rows: ratios }, ports)
  }
  return (request) => answers[request.path]?.(request) ?? Effect.succeed(null)
}
