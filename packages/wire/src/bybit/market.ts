/**
 * A fake of Bybit's market data over core's `CoinDerivatives` and `CoinPrices`, according to Bybit's REST
 * documentation.
 */
import { type Candle, dayMs, hourMs, type Interval, minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { coinOf, orNone } from "../binance/refusals.ts"
import { decimalText } from "../decimalText.ts"
import { minuteCandles } from "../minuteCandles.ts"
import { queryNumber } from "../queryNumber.ts"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { bybitInstruments, type BybitPorts, datedFutures, said, symbolOf } from "./instruments.ts"

const stepMs = 5 * minuteMs

/**
 * `openInterest` counts both sides of each contract, the long and the short holder. `singleOpenInterest` counts one.
 */
const interestOf = (single: number) => ({
  openInterest: decimalText(2 * single),
  singleOpenInterest: decimalText(single)
})

const unknown = said(10001, "Not supported symbols")
type Rows = (coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<unknown>>

/** Rows of an interval, newest first. If there are too many, the newest rows are returned. */
const series = (
  { most, names, rows, usual }: {
    readonly names: readonly [from: string, to: string]
    readonly usual: number
    readonly most: number
    readonly rows: Rows
  },
  { prices }: BybitPorts
) =>
  Effect.fnUntraced(function*({ query }: WireRequest): Effect.fn.Return<WireAnswer> {
    const coin = coinOf(query.get("symbol"))
    const facts = coin === undefined ? null : yield* orNone(prices.coin(coin))
    if (facts === null) return yield* unknown
    const now = yield* Clock.currentTimeMillis
    const limit = Math.min(most, queryNumber(query, "limit") ?? usual)
    const end = Math.min(now, queryNumber(query, names[1]) ?? now)
    const from = Math.max(facts.listedAt, queryNumber(query, names[0]) ?? end - limit * stepMs)
    const found = from > end ? [] : yield* rows(facts.coin, { from, to: end + 1 })
    const list = found.slice(-limit).toReversed()
    const category = query.get("category")
    return yield* said(0, "OK", { category, symbol: symbolOf(facts.coin), list, nextPageCursor: "" })
  })

const spotTickers = Effect.fnUntraced(function*({ prices }: BybitPorts): Effect.fn.Return<WireAnswer> {
  const { value } = yield* Effect.orDie(prices.tickers)
  const list = value.map(({ change24hPct, coin, high24h, low24h, price, volume24hUsd }) => ({
    symbol: symbolOf(coin),
    bid1Price: decimalText(price),
    lastPrice: decimalText(price),
    prevPrice24h: decimalText(price / (1 + (change24hPct ?? 0) / 100)),
    price24hPcnt: decimalText((change24hPct ?? 0) / 100),
    highPrice24h: decimalText(high24h ?? price),
    lowPrice24h: decimalText(low24h ?? price),
    turnover24h: decimalText(volume24hUsd ?? 0),
    volume24h: decimalText((volume24hUsd ?? 0) / price)
  }))
  return yield* said(0, "OK", { category: "spot", list })
})

const tickers = Effect.fnUntraced(function*({ derivatives }: BybitPorts): Effect.fn.Return<WireAnswer> {
  const { value: points } = yield* Effect.orDie(derivatives.perpetuals)
  const list: Array<object> = []
  for (const { coin, indexPrice, markPrice } of points) {
    const funding = (yield* orNone(derivatives.fundingByVenue(coin)))?.find(({ venue }) => venue === "bybit")
    const interest = (yield* orNone(derivatives.openInterestByVenue(coin)))?.find(({ venue }) => venue === "bybit")
    const now = yield* Clock.currentTimeMillis
    list.push({
      symbol: symbolOf(coin),
      lastPrice: decimalText(markPrice ?? 0),
      indexPrice: decimalText(indexPrice ?? 0),
      markPrice: decimalText(markPrice ?? 0),
      ...interestOf(interest?.openInterest ?? 0),
      openInterestValue: decimalText(2 * (interest?.openInterestUsd ?? 0)),
      singleOpenInterestValue: decimalText(interest?.openInterestUsd ?? 0),
      fundingRate: decimalText(funding?.fundingRate ?? 0),
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
        lastPrice: decimalText(future.price),
        indexPrice: decimalText(future.indexPrice),
        markPrice: decimalText(future.price),
        ...interestOf(0),
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
  return yield* said(0, "OK", { category: "linear", list })
})

const klineRow = ({ close, high, low, open, quoteVolume, time, volume }: Candle) => [
  String(time),
  ...[open, high, low, close, volume, quoteVolume].map(decimalText)
]

/** Months with the time of their first day. Clients read nothing else of them. */
const monthsOf = (days: ReadonlyArray<Candle>): ReadonlyArray<Candle> =>
  [...new Map(days.toReversed().map((day) => [new Date(day.time).toISOString().slice(0, 7), day])).values()]
    .map((day) => ({ ...day, time: Date.parse(`${new Date(day.time).toISOString().slice(0, 7)}-01T00:00:00Z`) }))
    .toReversed()

const klines = (ports: BybitPorts): (request: WireRequest) => Effect.Effect<WireAnswer> => {
  const { prices } = ports
  const ranged = (timeframe: "1d" | "5m") => (coin: string, interval: Interval) =>
    Effect.map(orNone(prices.candleRange({ coin, timeframe, ...interval })), (found) => found ?? [])
  const minutes = (coin: string, { from, to }: Interval) =>
    minuteCandles(prices, coin, Math.ceil(from / minuteMs) * minuteMs, to)
  const of = (candles: (coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<Candle>>) => {
    const rows: Rows = (coin, interval) => Effect.map(candles(coin, interval), (found) => found.map(klineRow))
    return series({ names: ["start", "end"], usual: 200, most: 1_000, rows }, ports)
  }
  const day = ranged("1d")
  const lengths: Readonly<Record<string, (request: WireRequest) => Effect.Effect<WireAnswer>>> = {
    1: of(minutes),
    5: of(ranged("5m")),
    // The day or month in which a market began is included with its own beginning.
    D: of((coin, { from, to }) => day(coin, { from: Math.floor(from / dayMs) * dayMs, to })),
    M: of((coin, { from, to }) => Effect.map(day(coin, { from: Math.floor(from / dayMs) * dayMs, to }), monthsOf))
  }
  return (request) => lengths[request.query.get("interval") ?? ""]?.(request) ?? said(10001, "Invalid period!")
}

/** Serves Bybit's market data from a market's ports. */
export const bybitMarket = (ports: BybitPorts): Speaks => {
  const { derivatives } = ports
  const points = (coin: string, interval: Interval) =>
    Effect.map(orNone(derivatives.perpetualHistory({ coin, ...interval, stepMs })), (found) => found?.points ?? [])
  const times = ["startTime", "endTime"] as const
  const payments: Rows = (coin, interval) =>
    Effect.map(
      orNone(derivatives.fundingPrints({ coin, ...interval })),
      (found) =>
        (found ?? []).map(({ fundingRate, time }) => ({
          symbol: symbolOf(coin),
          fundingRate: decimalText(fundingRate),
          fundingRateTimestamp: String(time)
        }))
    )
  const interest: Rows = (coin, interval) =>
    Effect.map(points(coin, interval), (found) =>
      found.map(({ openInterest, time }) => ({
        ...interestOf(openInterest ?? 0),
        timestamp: String(time)
      })))
  const ratios: Rows = (coin, interval) =>
    Effect.map(points(coin, interval), (found) =>
      found.map(({ longShortRatio, time }) => {
        const ratio = longShortRatio ?? 1
        return {
          symbol: symbolOf(coin),
          buyRatio: decimalText(ratio / (1 + ratio)),
          sellRatio: decimalText(1 / (1 + ratio)),
          timestamp: String(time)
        }
      }))
  const answers: Readonly<Record<string, (request: WireRequest) => Effect.Effect<WireAnswer>>> = {
    "/v5/market/kline": klines(ports),
    "/v5/market/tickers": ({ query }) => query.get("category") === "spot" ? spotTickers(ports) : tickers(ports),
    "/v5/market/instruments-info": ({ query }) => bybitInstruments(ports, query.get("category")),
    "/v5/market/funding/history": series({ names: times, usual: 200, most: 200, rows: payments }, ports),
    "/v5/market/open-interest": series({ names: times, usual: 50, most: 200, rows: interest }, ports),
    "/v5/market/account-ratio": series({ names: times, usual: 50, most: 500, rows: ratios }, ports)
  }
  return (request) => answers[request.path]?.(request) ?? Effect.succeed(null)
}
