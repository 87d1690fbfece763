/** Bybit's market data on the wire, as its REST documents say, over core's `CoinDerivatives` and `CoinPrices`. */
import { type CoinDerivatives, type CoinPrices, hourMs, type Interval, minuteMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { coinOf, orNone, quote } from "../binance/refusals.ts"
import { decimalText } from "../decimalText.ts"
import { queryNumber } from "../queryNumber.ts"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"

export interface BybitPorts {
  readonly derivatives: CoinDerivatives["Service"]
  readonly prices: CoinPrices["Service"]
}

const stepMs = 5 * minuteMs

const said = (retCode: number, retMsg: string, result: object = {}) =>
  Effect.map(Clock.currentTimeMillis, (time): WireAnswer => ({
    body: { retCode, retMsg, result, retExtInfo: {}, time }
  }))

const unknown = said(10001, "Not supported symbols")
const symbolOf = (coin: string): string => `${coin}${quote}`

type Rows = (coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<unknown>>

/** Rows of an interval, the newest first, and of too many the newest. */
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
      openInterest: decimalText(interest?.openInterest ?? 0),
      openInterestValue: decimalText(interest?.openInterestUsd ?? 0),
      fundingRate: decimalText(funding?.fundingRate ?? 0),
      nextFundingTime: String(funding?.nextFundingAt ?? Math.ceil((now + 1) / (8 * hourMs)) * 8 * hourMs),
      predictedDeliveryPrice: "",
      basisRate: "",
      deliveryFeeRate: "",
      deliveryTime: "0",
      curPreListingPhase: "",
      fundingIntervalHour: String(funding?.intervalHours ?? 8)
    })
  }
  return yield* said(0, "OK", { category: "linear", list })
})

/** Bybit's market data over a market's ports. */
export const bybitMarket = (ports: BybitPorts): Speaks => {
  const { derivatives, prices } = ports
  const points = (coin: string, interval: Interval) =>
    Effect.map(orNone(derivatives.perpetualHistory({ coin, ...interval, stepMs })), (found) => found?.points ?? [])
  const times = ["startTime", "endTime"] as const
  const candles: Rows = (coin, interval) =>
    Effect.map(
      orNone(prices.candleRange({ coin, timeframe: "5m", ...interval })),
      (found) =>
        (found ?? []).map(({ close, high, low, open, quoteVolume, time, volume }) => [
          String(time),
          ...[open, high, low, close, volume, quoteVolume].map(decimalText)
        ])
    )
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
        openInterest: decimalText(openInterest ?? 0),
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
    "/v5/market/kline": series({ names: ["start", "end"], usual: 200, most: 1_000, rows: candles }, ports),
    "/v5/market/tickers": () => tickers(ports),
    "/v5/market/funding/history": series({ names: times, usual: 200, most: 200, rows: payments }, ports),
    "/v5/market/open-interest": series({ names: times, usual: 50, most: 200, rows: interest }, ports),
    "/v5/market/account-ratio": series({ names: times, usual: 50, most: 500, rows: ratios }, ports)
  }
  return (request) => answers[request.path]?.(request) ?? Effect.succeed(null)
}
