import {
  type CoinDerivatives,
  type CoinPrices,
  type DatedFuture,
  hourMs,
  minuteMs,
  type PerpetualPoint
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { formatDecimal, queryNumber } from "../server/numbers.ts"
import {
  coinOf,
  errorResponse,
  invalidInterval,
  invalidSymbol,
  quote,
  valueOrNull,
  withWeightHeaders
} from "./responses.ts"

/**
 * The market ports behind the fake futures API. The fake returns the open interest of the ports as Binance's open
 * interest.
 */
export interface FuturesPorts {
  readonly derivatives: CoinDerivatives["Service"]
  readonly prices: CoinPrices["Service"]
}

const stepMs = 5 * minuteMs
const neverExpires = 4_133_404_800_000

const symbolOf = (coin: string): string => `${coin}${quote}`

const datedSymbol = (coin: string, { expiryAt }: DatedFuture): string =>
  `${symbolOf(coin)}_${new Date(expiryAt).toISOString().slice(2, 10).replaceAll("-", "")}`

const perpetualCoins = ({ derivatives }: FuturesPorts) =>
  Effect.map(Effect.orDie(derivatives.perpetuals), ({ value }) => value.map(({ coin }) => coin))

const datedFuturesOf = ({ derivatives }: FuturesPorts, coin: string) =>
  Effect.map(valueOrNull(derivatives.futures(coin)), (futures) => futures ?? [])

const exchangeInfo = Effect.fnUntraced(function*(ports: FuturesPorts): Effect.fn.Return<FakeResponse> {
  const serverTime = yield* Clock.currentTimeMillis
  const symbols: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    const facts = yield* valueOrNull(ports.prices.coin(coin))
    const row = {
      pair: symbolOf(coin),
      status: "TRADING",
      baseAsset: coin,
      quoteAsset: quote,
      marginAsset: quote,
      onboardDate: facts?.listedAt ?? serverTime,
      pricePrecision: 2,
      underlyingType: "COIN",
      filters: []
    }
    symbols.push({ symbol: symbolOf(coin), contractType: "PERPETUAL", deliveryDate: neverExpires, ...row })
    for (const [i, future] of (yield* datedFuturesOf(ports, coin)).entries()) {
      const contractType = i === 0 ? "CURRENT_QUARTER" : "NEXT_QUARTER"
      symbols.push({ symbol: datedSymbol(coin, future), contractType, deliveryDate: future.expiryAt, ...row })
    }
  }
  return { body: { timezone: "UTC", serverTime, futuresType: "U_MARGINED", rateLimits: [], symbols } }
})

const premiumIndex = Effect.fnUntraced(function*(ports: FuturesPorts): Effect.fn.Return<FakeResponse> {
  const time = yield* Clock.currentTimeMillis
  const { value: points } = yield* Effect.orDie(ports.derivatives.perpetuals)
  const rows: Array<object> = []
  for (const { coin, indexPrice, markPrice } of points) {
    const venues = yield* valueOrNull(ports.derivatives.fundingByVenue(coin))
    const funding = venues?.find(({ venue }) => venue === "binance") ?? venues?.[0]
    rows.push({
      symbol: symbolOf(coin),
      markPrice: formatDecimal(markPrice ?? 0),
      indexPrice: formatDecimal(indexPrice ?? 0),
      estimatedSettlePrice: formatDecimal(indexPrice ?? 0),
      lastFundingRate: formatDecimal(funding?.fundingRate ?? 0),
      interestRate: "0.00010000",
      nextFundingTime: funding?.nextFundingAt ?? Math.ceil((time + 1) / (8 * hourMs)) * 8 * hourMs,
      time
    })
    for (const future of yield* datedFuturesOf(ports, coin)) {
      rows.push({
        symbol: datedSymbol(coin, future),
        markPrice: formatDecimal(future.price),
        indexPrice: formatDecimal(future.indexPrice),
        estimatedSettlePrice: formatDecimal(future.indexPrice),
        lastFundingRate: "",
        interestRate: "",
        nextFundingTime: 0,
        time
      })
    }
  }
  return { body: rows }
})

/**
 * Returns the contracts with special funding rules. As on Binance, the list includes some contracts with the default
 * funding interval.
 */
const fundingInfo = Effect.fnUntraced(function*(ports: FuturesPorts): Effect.fn.Return<FakeResponse> {
  const { value: points } = yield* Effect.orDie(ports.derivatives.perpetuals)
  return {
    body: points.filter(({ fundingIntervalHours: hours }) => hours !== null).map(({ coin, fundingIntervalHours }) => ({
      symbol: symbolOf(coin),
      adjustedFundingRateCap: "0.02000000",
      adjustedFundingRateFloor: "-0.02000000",
      fundingIntervalHours,
      disclaimer: false
    }))
  }
})

interface SeriesRequest {
  readonly coin: string
  readonly from: number
  readonly to: number
  readonly limit: number
}

const parseSeriesRequest = Effect.fnUntraced(function*(
  { prices }: FuturesPorts,
  { query }: FakeRequest,
  defaultLimit: number,
  maxLimit: number
): Effect.fn.Return<SeriesRequest | null> {
  const coin = coinOf(query.get("symbol"))
  const facts = coin === undefined ? null : yield* valueOrNull(prices.coin(coin))
  if (facts === null) return null
  const now = yield* Clock.currentTimeMillis
  const limit = Math.min(maxLimit, queryNumber(query, "limit") ?? defaultLimit)
  const end = queryNumber(query, "endTime") ?? now
  const from = Math.max(queryNumber(query, "startTime") ?? end - limit * stepMs, facts.listedAt)
  return { coin: facts.coin, from, to: Math.min(end, now) + 1, limit }
})

const fundingRate = Effect.fnUntraced(function*(ports: FuturesPorts, request: FakeRequest) {
  const query = yield* parseSeriesRequest(ports, request, 100, 1_000)
  if (query === null) return invalidSymbol
  const prints = (yield* valueOrNull(ports.derivatives.fundingPayments(query))) ?? []
  const body = prints.slice(0, query.limit).map(({ fundingRate: rate, time }) => ({
    symbol: symbolOf(query.coin),
    fundingRate: formatDecimal(rate),
    fundingTime: time,
    markPrice: ""
  }))
  return { body }
})

const openInterest = Effect.fnUntraced(function*({ derivatives }: FuturesPorts, { query }: FakeRequest) {
  const coin = coinOf(query.get("symbol"))
  const point = coin === undefined ? null : yield* valueOrNull(derivatives.perpetual(coin))
  if (coin === undefined || point === null) return invalidSymbol
  const time = yield* Clock.currentTimeMillis
  return { body: { openInterest: formatDecimal(point.openInterest ?? 0), symbol: symbolOf(coin), time } }
})

/** Serves five-minute statistics of the last 30 days, and rejects an earlier `startTime`. */
const statistics = (rowOf: (point: PerpetualPoint) => object) =>
  Effect.fnUntraced(function*(ports: FuturesPorts, request: FakeRequest) {
    if (request.query.get("period") !== "5m") return invalidInterval
    const query = yield* parseSeriesRequest(ports, request, 30, 500)
    if (query === null) return invalidSymbol
    const now = yield* Clock.currentTimeMillis
    if ((queryNumber(request.query, "startTime") ?? now) < now - 30 * 24 * hourMs) {
      return errorResponse(-1130, "parameter 'startTime' is invalid.")
    }
    const series = yield* valueOrNull(ports.derivatives.perpetualHistory({ ...query, stepMs }))
    const points = series?.points ?? []
    const body = points.slice(0, query.limit).map((point) => ({
      symbol: symbolOf(query.coin),
      ...rowOf(point),
      timestamp: point.time
    }))
    return { body }
  })

const openInterestHist = statistics(({ openInterest: coins, openInterestUsd }) => ({
  sumOpenInterest: formatDecimal(coins ?? 0),
  sumOpenInterestValue: formatDecimal(openInterestUsd ?? 0),
  CMCCirculatingSupply: "0"
}))

const accountRatio = statistics(({ longShortRatio }) => {
  const ratio = longShortRatio ?? 1
  return {
    longShortRatio: formatDecimal(ratio),
    longAccount: (ratio / (1 + ratio)).toFixed(4),
    shortAccount: (1 / (1 + ratio)).toFixed(4)
  }
})

/** Serves the volumes of buys and sells as five-minute candles. All four prices of each candle are the mark price. */
const klines = Effect.fnUntraced(function*(ports: FuturesPorts, request: FakeRequest) {
  if (request.query.get("interval") !== "5m") return invalidInterval
  const query = yield* parseSeriesRequest(ports, request, 500, 1_500)
  if (query === null) return invalidSymbol
  const flow = yield* valueOrNull(ports.derivatives.takerFlow({ ...query, stepMs }))
  const perpetual = yield* valueOrNull(ports.derivatives.perpetual(query.coin))
  const price = perpetual?.markPrice ?? 1
  const body = (flow?.points ?? []).slice(0, query.limit).map(({ buyUsd, sellUsd, time }) => [
    time,
    ...[price, price, price, price].map(formatDecimal),
    formatDecimal((buyUsd + sellUsd) / price),
    time + stepMs - 1,
    formatDecimal(Number((buyUsd + sellUsd).toFixed(2))),
    10,
    formatDecimal(buyUsd / price),
    formatDecimal(buyUsd),
    "0"
  ])
  return { body }
})

const weightOf = ({ path, query }: FakeRequest): number => {
  if (path.endsWith("/klines")) {
    const limit = queryNumber(query, "limit") ?? 500
    return limit < 100 ? 1 : limit < 500 ? 2 : limit <= 1_000 ? 5 : 10
  }
  if (path.endsWith("/premiumIndex")) return query.has("symbol") ? 1 : 10
  return path.endsWith("/openInterest") || path.endsWith("/exchangeInfo") ? 1 : 0
}

/** Creates a fake of Binance's futures API, according to Binance's REST documentation. */
export const makeBinanceFutures = (ports: FuturesPorts): RequestHandler => {
  const answers: Readonly<Record<string, (request: FakeRequest) => Effect.Effect<FakeResponse>>> = {
    "/fapi/v1/exchangeInfo": () => exchangeInfo(ports),
    "/fapi/v1/premiumIndex": () => premiumIndex(ports),
    "/fapi/v1/fundingInfo": () => fundingInfo(ports),
    "/fapi/v1/fundingRate": (request) => fundingRate(ports, request),
    "/fapi/v1/openInterest": (request) => openInterest(ports, request),
    "/fapi/v1/klines": (request) => klines(ports, request),
    "/futures/data/openInterestHist": (request) => openInterestHist(ports, request),
    "/futures/data/globalLongShortAccountRatio": (request) => accountRatio(ports, request),
    "/futures/data/topLongShortAccountRatio": (request) => accountRatio(ports, request)
  }
  return withWeightHeaders((request) => answers[request.path]?.(request) ?? Effect.succeed(null), weightOf)
}
