import { type BookLevel, hourMs, type Interval, minuteMs, type PerpetualPoint } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { valueOrNull } from "../binance/responses.ts"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { readMinuteCandles } from "../server/minuteCandles.ts"
import { formatDecimal, queryNumber } from "../server/numbers.ts"
import { datedFuturesOf, datedId, type OkxPorts, perpetualCoins, serveInstruments } from "./instruments.ts"
import { coinOfSpot, coinOfSwap, coinsOfContract, okxResponse, spotId, swapId, unknownInstrument } from "./responses.ts"

const stepMs = 5 * minuteMs
const lengths: Readonly<Record<string, number>> = { "1m": minuteMs, "5m": stepMs }

type ResponseEffect = Effect.Effect<FakeResponse>

const numberOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text === "-1" ? -1 : queryNumber(query, name)
}

/** Parses the interval of a request. Both bounds of the interval are exclusive in an OKX request. */
const parseInterval = ({ query }: FakeRequest, now: number, names: readonly [string, string]): Interval => ({
  from: (numberOf(query, names[0]) ?? -1) + 1,
  to: Math.min(now + 1, numberOf(query, names[1]) ?? now + 1)
})

const takeNewest = <A>(rows: ReadonlyArray<A>, { query }: FakeRequest, maxRows: number): ReadonlyArray<A> =>
  rows.slice(-Math.min(maxRows, queryNumber(query, "limit") ?? 100)).toReversed()

const boundParameters = ["before", "after"] as const

const makeCandles = (oldest: number, maxRows: number) =>
  Effect.fnUntraced(function*({ prices }: OkxPorts, request: FakeRequest): Effect.fn.Return<FakeResponse> {
    const coin = coinOfSpot(request.query.get("instId"))
    const facts = coin === undefined ? null : yield* valueOrNull(prices.coin(coin))
    if (facts === null) return yield* unknownInstrument
    const length = lengths[request.query.get("bar") ?? "1m"]
    if (length === undefined) return okxResponse([], "51000", "Parameter bar error")
    const now = yield* Clock.currentTimeMillis
    const { from: requestedFrom, to } = parseInterval(request, now, boundParameters)
    const from = Math.max(requestedFrom, facts.listedAt, now - oldest * length)
    const candles = from >= to
      ? []
      : length === minuteMs
      ? yield* readMinuteCandles(prices, facts.coin, Math.ceil(from / length) * length, to)
      : (yield* valueOrNull(prices.candleRange({ coin: facts.coin, timeframe: "5m", from, to }))) ?? []
    return okxResponse(
      takeNewest(candles.filter(({ time }) => time < to), request, maxRows).map((one) => [
        String(one.time),
        ...[one.open, one.high, one.low, one.close, one.volume, one.quoteVolume, one.quoteVolume].map(formatDecimal),
        one.closed ? "1" : "0"
      ])
    )
  })

const tickers = Effect.fnUntraced(function*({ prices }: OkxPorts): Effect.fn.Return<FakeResponse> {
  const { value } = yield* Effect.orDie(prices.tickers)
  return okxResponse(value.map(({ change24hPct, coin, high24h, low24h, price, time, volume24hUsd }) => ({
    instType: "SPOT",
    instId: spotId(coin),
    last: formatDecimal(price),
    open24h: formatDecimal(price / (1 + (change24hPct ?? 0) / 100)),
    high24h: formatDecimal(high24h ?? price),
    low24h: formatDecimal(low24h ?? price),
    volCcy24h: formatDecimal(volume24hUsd ?? 0),
    vol24h: formatDecimal((volume24hUsd ?? 0) / price),
    ts: String(Math.trunc(time))
  })))
})

const funding = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<FakeResponse> {
  const now = yield* Clock.currentTimeMillis
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    const fundingRow = (yield* valueOrNull(ports.derivatives.fundingByVenue(coin)))?.find(({ venue }) =>
      venue === "okx"
    )
    const lengthMs = (fundingRow?.intervalHours ?? 8) * hourMs
    const next = fundingRow?.nextFundingAt ?? Math.ceil((now + 1) / lengthMs) * lengthMs
    rows.push({
      instType: "SWAP",
      instId: swapId(coin),
      method: "current_period",
      formulaType: "withRate",
      fundingRate: formatDecimal(fundingRow?.fundingRate ?? 0),
      fundingTime: String(next),
      nextFundingRate: "",
      nextFundingTime: String(next + lengthMs),
      prevFundingTime: String(next - lengthMs),
      settState: "settled",
      ts: String(now)
    })
  }
  return okxResponse(rows)
})

const openInterest = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<FakeResponse> {
  const now = yield* Clock.currentTimeMillis
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    const openInterestRow = (yield* valueOrNull(ports.derivatives.openInterestByVenue(coin)))?.find(({ venue }) =>
      venue === "okx"
    )
    rows.push({
      instType: "SWAP",
      instId: swapId(coin),
      oi: formatDecimal((openInterestRow?.openInterest ?? 0) / coinsOfContract(coin)),
      oiCcy: formatDecimal(openInterestRow?.openInterest ?? 0),
      oiUsd: formatDecimal(openInterestRow?.openInterestUsd ?? 0),
      ts: String(now)
    })
  }
  return okxResponse(rows)
})

const makeCurrentPrices = (
  rowsOf: (point: PerpetualPoint & { readonly coin: string }, ts: string) => ReadonlyArray<object>
) =>
  Effect.fnUntraced(function*({ derivatives }: OkxPorts): Effect.fn.Return<FakeResponse> {
    const now = yield* Clock.currentTimeMillis
    const { value } = yield* Effect.orDie(derivatives.perpetuals)
    return okxResponse(value.flatMap((point) => rowsOf(point, String(now))))
  })

const indices = makeCurrentPrices(({ coin, indexPrice }, ts) => [
  { instId: spotId(coin), idxPx: formatDecimal(indexPrice ?? 0), ts }
])

const swapMarks = makeCurrentPrices(({ coin, markPrice }, ts) => [
  { instType: "SWAP", instId: swapId(coin), markPx: formatDecimal(markPrice ?? 0), ts }
])

const datedMarks = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<FakeResponse> {
  const ts = String(yield* Clock.currentTimeMillis)
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    for (const future of yield* datedFuturesOf(ports, coin)) {
      rows.push({ instType: "FUTURES", instId: datedId(coin, future), markPx: formatDecimal(future.price), ts })
    }
  }
  return okxResponse(rows)
})

const fullBook = Effect.fnUntraced(
  function*({ books }: OkxPorts, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const coin = coinOfSpot(query.get("instId"))
    const book = coin === undefined || books === undefined ? null : yield* valueOrNull(books.orderBook(coin))
    if (book === null) return yield* unknownInstrument
    const maxLevels = Math.min(5_000, queryNumber(query, "sz") ?? 1)
    const side = (levels: ReadonlyArray<BookLevel>) =>
      levels.slice(0, maxLevels).map(({ price, size }) => [formatDecimal(price), formatDecimal(size), "1"])
    return okxResponse([{ asks: side(book.asks), bids: side(book.bids), ts: String(book.time) }])
  }
)

type Rows = (ports: OkxPorts, coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<unknown>>

const makeSeries = (rows: Rows, names: readonly [string, string], maxRows: number, oldestMs: number) =>
  Effect.fnUntraced(function*(ports: OkxPorts, request: FakeRequest): Effect.fn.Return<FakeResponse> {
    const coin = coinOfSwap(request.query.get("instId"))
    const facts = coin === undefined ? null : yield* valueOrNull(ports.prices.coin(coin))
    if (facts === null) return yield* unknownInstrument
    const now = yield* Clock.currentTimeMillis
    const { from: requestedFrom, to } = parseInterval(request, now, names)
    const from = Math.max(requestedFrom, facts.listedAt, now - oldestMs)
    const points = from >= to ? [] : yield* rows(ports, facts.coin, { from, to })
    return okxResponse(takeNewest(points, request, maxRows))
  })

const makePoints =
  (rowOf: (point: PerpetualPoint, coin: string) => ReadonlyArray<string>): Rows => (ports, coin, interval) =>
    Effect.map(
      valueOrNull(ports.derivatives.perpetualHistory({ coin, ...interval, stepMs })),
      (flow) => (flow?.points ?? []).map((point) => [String(point.time), ...rowOf(point, coin)])
    )

const payments: Rows = ({ derivatives }, coin, interval) =>
  Effect.map(
    valueOrNull(derivatives.fundingPayments({ coin, ...interval })),
    (payments) =>
      (payments ?? []).map(({ fundingRate, time }) => ({
        instType: "SWAP",
        instId: swapId(coin),
        // `fundingRate` is the forecast rate, and `realizedRate` is the paid rate.
        fundingRate: "0.3",
        realizedRate: formatDecimal(fundingRate),
        fundingTime: String(time),
        method: "current_period"
      }))
  )

const flow: Rows = ({ derivatives }, coin, interval) =>
  Effect.map(
    valueOrNull(derivatives.takerFlow({ coin, ...interval, stepMs })),
    (flow) =>
      (flow?.points ?? []).map((
        { buyUsd, sellUsd, time }
      ) => [String(time), formatDecimal(sellUsd), formatDecimal(buyUsd)])
  )

const makeStatistics = (rows: Rows) => makeSeries(rows, ["begin", "end"], 100, 1_440 * stepMs)
const ratio = makePoints(({ longShortRatio }) => [formatDecimal(longShortRatio ?? 1)])
const interest = makePoints(({ openInterest, openInterestUsd }, coin) => [
  formatDecimal((openInterest ?? 0) / coinsOfContract(coin)),
  formatDecimal(openInterest ?? 0),
  formatDecimal(openInterestUsd ?? 0)
])

const handlers: Readonly<Record<string, (ports: OkxPorts, request: FakeRequest) => ResponseEffect>> = {
  "/api/v5/public/instruments": (ports, { query }) => serveInstruments(ports, query.get("instType")),
  "/api/v5/market/candles": makeCandles(1_440, 300),
  "/api/v5/market/history-candles": makeCandles(Infinity, 100),
  "/api/v5/market/books-full": fullBook,
  "/api/v5/market/tickers": tickers,
  "/api/v5/market/index-tickers": indices,
  "/api/v5/public/funding-rate": funding,
  "/api/v5/public/open-interest": openInterest,
  "/api/v5/public/mark-price": (ports, { query }) =>
    query.get("instType") === "SWAP" ? swapMarks(ports) : datedMarks(ports),
  "/api/v5/public/funding-rate-history": makeSeries(payments, boundParameters, 100, 90 * 24 * hourMs),
  "/api/v5/rubik/stat/contracts/open-interest-history": makeStatistics(interest),
  "/api/v5/rubik/stat/contracts/long-short-account-ratio-contract": makeStatistics(ratio),
  "/api/v5/rubik/stat/taker-volume-contract": (ports, request) =>
    request.query.get("unit") === "2"
      ? makeStatistics(flow)(ports, request)
      : Effect.succeed(okxResponse([], "51000", "Parameter unit error"))
}

/** Creates a fake of OKX's market data API, according to OKX's REST documentation. */
export const makeOkxMarket = (ports: OkxPorts): RequestHandler => (request) =>
  handlers[request.path]?.(ports, request) ?? Effect.succeed(null)
