/**
 * A fake of OKX's market data over core's `CoinDerivatives` and `CoinPrices`, according to OKX's REST documentation.
 */
import { type BookLevel, hourMs, type Interval, minuteMs, type PerpetualPoint } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { orNone } from "../binance/refusals.ts"
import { decimalText } from "../decimalText.ts"
import { minuteCandles } from "../minuteCandles.ts"
import { queryNumber } from "../queryNumber.ts"
import type { WireRequest } from "../WireRequest.ts"
import type { Speaks, WireAnswer } from "../WireServer.ts"
import { datedId, datedOf, instruments, type OkxPorts, perpetualCoins } from "./instruments.ts"
import { coinOfSpot, coinOfSwap, coinsOfContract, said, spotId, swapId, unknownInstrument } from "./said.ts"

const stepMs = 5 * minuteMs
const lengths: Readonly<Record<string, number>> = { "1m": minuteMs, "5m": stepMs }

type Answers = Effect.Effect<WireAnswer>

const numberOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  return text === "-1" ? -1 : queryNumber(query, name)
}

/**
 * The interval between two instants, both excluded. Rows are newest first, and the newest are kept if there are too
 * many.
 */
const between = ({ query }: WireRequest, now: number, names: readonly [string, string]): Interval => ({
  from: (numberOf(query, names[0]) ?? -1) + 1,
  to: Math.min(now + 1, numberOf(query, names[1]) ?? now + 1)
})

const newest = <A>(rows: ReadonlyArray<A>, { query }: WireRequest, most: number): ReadonlyArray<A> =>
  rows.slice(-Math.min(most, queryNumber(query, "limit") ?? 100)).toReversed()

const wherefore = ["before", "after"] as const

const candles = (oldest: number, most: number) =>
  Effect.fnUntraced(function*({ prices }: OkxPorts, request: WireRequest): Effect.fn.Return<WireAnswer> {
    const coin = coinOfSpot(request.query.get("instId"))
    const facts = coin === undefined ? null : yield* orNone(prices.coin(coin))
    if (facts === null) return yield* unknownInstrument
    const length = lengths[request.query.get("bar") ?? "1m"]
    if (length === undefined) return said([], "51000", "Parameter bar error")
    const now = yield* Clock.currentTimeMillis
    const { from: asked, to } = between(request, now, wherefore)
    const from = Math.max(asked, facts.listedAt, now - oldest * length)
    const found = from >= to
      ? []
      : length === minuteMs
      ? yield* minuteCandles(prices, facts.coin, Math.ceil(from / length) * length, to)
      : (yield* orNone(prices.candleRange({ coin: facts.coin, timeframe: "5m", from, to }))) ?? []
    return said(
      newest(found.filter(({ time }) => time < to), request, most).map((one) => [
        String(one.time),
        ...[one.open, one.high, one.low, one.close, one.volume, one.quoteVolume, one.quoteVolume].map(decimalText),
        one.closed ? "1" : "0"
      ])
    )
  })

const tickers = Effect.fnUntraced(function*({ prices }: OkxPorts): Effect.fn.Return<WireAnswer> {
  const { value } = yield* Effect.orDie(prices.tickers)
  return said(value.map(({ change24hPct, coin, high24h, low24h, price, time, volume24hUsd }) => ({
    instType: "SPOT",
    instId: spotId(coin),
    last: decimalText(price),
    open24h: decimalText(price / (1 + (change24hPct ?? 0) / 100)),
    high24h: decimalText(high24h ?? price),
    low24h: decimalText(low24h ?? price),
    volCcy24h: decimalText(volume24hUsd ?? 0),
    vol24h: decimalText((volume24hUsd ?? 0) / price),
    ts: String(Math.trunc(time))
  })))
})

const funding = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<WireAnswer> {
  const now = yield* Clock.currentTimeMillis
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    const own = (yield* orNone(ports.derivatives.fundingByVenue(coin)))?.find(({ venue }) => venue === "okx")
    const lengthMs = (own?.intervalHours ?? 8) * hourMs
    const next = own?.nextFundingAt ?? Math.ceil((now + 1) / lengthMs) * lengthMs
    rows.push({
      instType: "SWAP",
      instId: swapId(coin),
      method: "current_period",
      formulaType: "withRate",
      fundingRate: decimalText(own?.fundingRate ?? 0),
      fundingTime: String(next),
      nextFundingRate: "",
      nextFundingTime: String(next + lengthMs),
      prevFundingTime: String(next - lengthMs),
      settState: "settled",
      ts: String(now)
    })
  }
  return said(rows)
})

const interests = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<WireAnswer> {
  const now = yield* Clock.currentTimeMillis
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    const own = (yield* orNone(ports.derivatives.openInterestByVenue(coin)))?.find(({ venue }) => venue === "okx")
    rows.push({
      instType: "SWAP",
      instId: swapId(coin),
      oi: decimalText((own?.openInterest ?? 0) / coinsOfContract(coin)),
      oiCcy: decimalText(own?.openInterest ?? 0),
      oiUsd: decimalText(own?.openInterestUsd ?? 0),
      ts: String(now)
    })
  }
  return said(rows)
})

const pricesNow = (rowsOf: (point: PerpetualPoint & { readonly coin: string }, ts: string) => ReadonlyArray<object>) =>
  Effect.fnUntraced(function*({ derivatives }: OkxPorts): Effect.fn.Return<WireAnswer> {
    const now = yield* Clock.currentTimeMillis
    const { value } = yield* Effect.orDie(derivatives.perpetuals)
    return said(value.flatMap((point) => rowsOf(point, String(now))))
  })

const indices = pricesNow(({ coin, indexPrice }, ts) => [
  { instId: spotId(coin), idxPx: decimalText(indexPrice ?? 0), ts }
])

const swapMarks = pricesNow(({ coin, markPrice }, ts) => [
  { instType: "SWAP", instId: swapId(coin), markPx: decimalText(markPrice ?? 0), ts }
])

const datedMarks = Effect.fnUntraced(function*(ports: OkxPorts): Effect.fn.Return<WireAnswer> {
  const ts = String(yield* Clock.currentTimeMillis)
  const rows: Array<object> = []
  for (const coin of yield* perpetualCoins(ports)) {
    for (const future of yield* datedOf(ports, coin)) {
      rows.push({ instType: "FUTURES", instId: datedId(coin, future), markPx: decimalText(future.price), ts })
    }
  }
  return said(rows)
})

const fullBook = Effect.fnUntraced(
  function*({ books }: OkxPorts, { query }: WireRequest): Effect.fn.Return<WireAnswer> {
    const coin = coinOfSpot(query.get("instId"))
    const book = coin === undefined || books === undefined ? null : yield* orNone(books.orderBook(coin))
    if (book === null) return yield* unknownInstrument
    const most = Math.min(5_000, queryNumber(query, "sz") ?? 1)
    const side = (levels: ReadonlyArray<BookLevel>) =>
      levels.slice(0, most).map(({ price, size }) => [decimalText(price), decimalText(size), "1"])
    return said([{ asks: side(book.asks), bids: side(book.bids), ts: String(book.time) }])
  }
)

type Rows = (ports: OkxPorts, coin: string, interval: Interval) => Effect.Effect<ReadonlyArray<unknown>>

/** Serves a contract's series. Statistics reach back 1,440 steps only. */
const series = (rows: Rows, names: readonly [string, string], most: number, oldestMs: number) =>
  Effect.fnUntraced(function*(ports: OkxPorts, request: WireRequest): Effect.fn.Return<WireAnswer> {
    const coin = coinOfSwap(request.query.get("instId"))
    const facts = coin === undefined ? null : yield* orNone(ports.prices.coin(coin))
    if (facts === null) return yield* unknownInstrument
    const now = yield* Clock.currentTimeMillis
    const { from: asked, to } = between(request, now, names)
    const from = Math.max(asked, facts.listedAt, now - oldestMs)
    const found = from >= to ? [] : yield* rows(ports, facts.coin, { from, to })
    return said(newest(found, request, most))
  })

const points =
  (rowOf: (point: PerpetualPoint, coin: string) => ReadonlyArray<string>): Rows => (ports, coin, interval) =>
    Effect.map(
      orNone(ports.derivatives.perpetualHistory({ coin, ...interval, stepMs })),
      (found) => (found?.points ?? []).map((point) => [String(point.time), ...rowOf(point, coin)])
    )

const payments: Rows = ({ derivatives }, coin, interval) =>
  Effect.map(
    orNone(derivatives.fundingPrints({ coin, ...interval })),
    (found) =>
      (found ?? []).map(({ fundingRate, time }) => ({
        instType: "SWAP",
        instId: swapId(coin),
        // The forecast rate, then the paid one.
        fundingRate: "0.3",
        realizedRate: decimalText(fundingRate),
        fundingTime: String(time),
        method: "current_period"
      }))
  )

const flow: Rows = ({ derivatives }, coin, interval) =>
  Effect.map(
    orNone(derivatives.takerFlow({ coin, ...interval, stepMs })),
    (found) =>
      (found?.points ?? []).map((
        { buyUsd, sellUsd, time }
      ) => [String(time), decimalText(sellUsd), decimalText(buyUsd)])
  )

const statistics = (rows: Rows) => series(rows, ["begin", "end"], 100, 1_440 * stepMs)
const ratio = points(({ longShortRatio }) => [decimalText(longShortRatio ?? 1)])
const interest = points(({ openInterest, openInterestUsd }, coin) => [
  decimalText((openInterest ?? 0) / coinsOfContract(coin)),
  decimalText(openInterest ?? 0),
  decimalText(openInterestUsd ?? 0)
])

const answers: Readonly<Record<string, (ports: OkxPorts, request: WireRequest) => Answers>> = {
  "/api/v5/public/instruments": (ports, { query }) => instruments(ports, query.get("instType")),
  "/api/v5/market/candles": candles(1_440, 300),
  "/api/v5/market/history-candles": candles(Infinity, 100),
  "/api/v5/market/books-full": fullBook,
  "/api/v5/market/tickers": tickers,
  "/api/v5/market/index-tickers": indices,
  "/api/v5/public/funding-rate": funding,
  "/api/v5/public/open-interest": interests,
  "/api/v5/public/mark-price": (ports, { query }) =>
    query.get("instType") === "SWAP" ? swapMarks(ports) : datedMarks(ports),
  "/api/v5/public/funding-rate-history": series(payments, wherefore, 100, 90 * 24 * hourMs),
  "/api/v5/rubik/stat/contracts/open-interest-history": statistics(interest),
  "/api/v5/rubik/stat/contracts/long-short-account-ratio-contract": statistics(ratio),
  "/api/v5/rubik/stat/taker-volume-contract": (ports, request) =>
    request.query.get("unit") === "2"
      ? statistics(flow)(ports, request)
      : Effect.succeed(said([], "51000", "Parameter unit error"))
}

/** Serves OKX's market data from a market's ports. */
export const okxMarket = (ports: OkxPorts): Speaks => (request) =>
  answers[request.path]?.(ports, request) ?? Effect.succeed(null)
