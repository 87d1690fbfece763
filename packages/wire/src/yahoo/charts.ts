/** Charts in Yahoo's format, with prices as 32-bit floats in current shares, and null in bars without trades. */
import {
  type Candle,
  dayMs,
  type EquityHistory,
  type EquityMarkets,
  type EquityTimeframe,
  hourMs,
  minuteMs,
  type Stock
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeResponse } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"
import { exchangeCodes, indexSymbols, seconds, toOwnSymbol, toYahooSymbol } from "./names.ts"
import { valueOrNull, type YahooPorts } from "./quotes.ts"

export const errorResponse = (subject: string, status: number, code: string, description: string): FakeResponse => ({
  status,
  body: { [subject]: { result: null, error: { code, description } } }
})

const lengths: Readonly<
  Record<string, { readonly timeframe: EquityTimeframe; readonly reachesBackMs: number; readonly perDay: number }>
> = {
  "15m": { timeframe: "15m", reachesBackMs: 60 * dayMs, perDay: 28 },
  "60m": { timeframe: "1h", reachesBackMs: 730 * dayMs, perDay: 8 },
  "1d": { timeframe: "1d", reachesBackMs: Infinity, perDay: 1 }
}

type ChartBar = Pick<Candle, "close" | "high" | "low" | "open" | "time" | "volume">

/** Converts bars to arrays, one for each field. Inserts an empty bar after the first bar, as Yahoo does. */
export const columnsOf = (rows: ReadonlyArray<ChartBar>) => {
  const [first, ...rest] = rows
  const all: ReadonlyArray<ChartBar | number> = first === undefined ? [] : [first, first.time + minuteMs, ...rest]
  const column = (getValue: (row: ChartBar) => number) =>
    all.map((row) => typeof row === "number" ? null : Math.fround(getValue(row)))
  return {
    timestamp: all.map((row) => seconds(typeof row === "number" ? row : row.time)),
    quote: {
      open: column(({ open }) => open),
      high: column(({ high }) => high),
      low: column(({ low }) => low),
      close: column(({ close }) => close),
      volume: all.map((row) => typeof row === "number" ? null : Math.round(row.volume))
    }
  }
}

interface ChartMeta {
  readonly symbol: string
  readonly currency: string
  readonly exchange: string
  readonly interval: string
  readonly tradedAt: number
}

export const toChart = (
  { currency, exchange, interval, symbol, tradedAt }: ChartMeta,
  rows: ReadonlyArray<ChartBar>,
  chartFields: { readonly events?: object; readonly adjclose?: ReadonlyArray<number | null> } = {}
): FakeResponse => {
  const meta = {
    currency,
    symbol,
    exchangeName: exchange,
    instrumentType: "EQUITY",
    regularMarketTime: seconds(tradedAt),
    hasPrePostMarketData: true,
    priceHint: 2,
    dataGranularity: interval,
    range: ""
  }
  const { quote, timestamp } = columnsOf(rows)
  const adjusted = chartFields.adjclose === undefined ? {} : { adjclose: [{ adjclose: chartFields.adjclose }] }
  const result = timestamp.length === 0
    ? { meta, indicators: { quote: [{}], ...(chartFields.adjclose === undefined ? {} : { adjclose: [{}] }) } }
    : {
      meta,
      timestamp,
      ...(chartFields.events === undefined ? {} : { events: chartFields.events }),
      indicators: { quote: [quote], ...adjusted }
    }
  return { body: { chart: { result: [result], error: null } } }
}

const sharesAfter = ({ splits }: EquityHistory, time: number): number =>
  splits.reduce((shares, split) => split.time > time ? shares * split.ratio : shares, 1)

const inCurrentShares = (candle: Candle, shares: number): ChartBar => ({
  time: candle.time,
  open: candle.open / shares,
  high: candle.high / shares,
  low: candle.low / shares,
  close: candle.close / shares,
  volume: candle.volume * shares
})

const eventsOf = (history: EquityHistory, from: number) => {
  const since = <A extends { readonly time: number }>(all: ReadonlyArray<A>) => all.filter(({ time }) => time >= from)
  return {
    dividends: Object.fromEntries(
      since(history.dividends).map(({ amount, time }) => [
        String(seconds(time)),
        { amount: amount / sharesAfter(history, time), date: seconds(time) }
      ])
    ),
    splits: Object.fromEntries(
      since(history.splits).map(({ ratio, time }) => [
        String(seconds(time)),
        { date: seconds(time), numerator: ratio, denominator: 1, splitRatio: `${ratio}:1` }
      ])
    )
  }
}

/**
 * Adds the newest trade if the trading session is running. An intraday chart receives a new bar for the trade. In a
 * daily chart, the last bar gets the current time.
 */
const withNewestTrade = (
  rows: ReadonlyArray<ChartBar>,
  running: boolean,
  isDay: boolean,
  now: number
): ReadonlyArray<ChartBar> => {
  const last = rows.at(-1)
  if (!running || last === undefined) return rows
  if (isDay) return [...rows.slice(0, -1), { ...last, time: now }]
  const { close } = last
  return [...rows, { time: now, open: close, high: close, low: close, close, volume: 0 }]
}

const serveStockChart = Effect.fnUntraced(function*(
  equities: EquityMarkets["Service"],
  stock: Stock,
  interval: string,
  from: number,
  to: number
): Effect.fn.Return<FakeResponse> {
  const { perDay, timeframe } = lengths[interval]!
  const now = yield* Clock.currentTimeMillis
  const bars = Math.ceil((now - from) / dayMs + 2) * perDay
  const read = (adjusted: boolean) => valueOrNull(equities.history({ symbol: stock.symbol, timeframe, bars, adjusted }))
  const traded = yield* read(false)
  const frame = {
    symbol: toYahooSymbol(stock),
    currency: stock.currency,
    exchange: exchangeCodes[stock.exchange][0],
    interval
  }
  const quote = yield* valueOrNull(equities.quote(stock.symbol))
  const isDay = interval === "1d"
  if (traded === null) return toChart({ ...frame, tradedAt: now }, [])
  const dailyHistory = yield* valueOrNull(
    equities.history({
      symbol: stock.symbol,
      timeframe: "1d",
      bars: Math.ceil((now - from) / dayMs + 2),
      adjusted: false
    })
  )
  const candles = traded.candles.filter(({ time }) => time >= from && time < to)
  const rows = candles.map((candle) => inCurrentShares(candle, sharesAfter(dailyHistory ?? traded, candle.time)))
  const running = candles.at(-1)?.closed === false
  const tradedAt = quote?.time ?? now
  const visible = withNewestTrade(rows, running, isDay, Math.floor(tradedAt / 1_000) * 1_000)
  if (!isDay) return toChart({ ...frame, tradedAt }, visible)
  const scaled = (yield* read(true))?.candles.filter(({ time }) => time >= from && time < to) ?? []
  const closes = scaled.map(({ close }) => Math.fround(close))
  const adjclose = closes.length === 0 ? [] : [closes[0]!, null, ...closes.slice(1)]
  return toChart({ ...frame, tradedAt }, visible, { events: eventsOf(traded, from), adjclose })
})

/** Serves the interbank rate of the dollar in won at the end of each bar, without volume. */
const serveUsdKrwChart = Effect.fnUntraced(function*(
  { rates }: YahooPorts,
  interval: string,
  from: number,
  to: number
): Effect.fn.Return<FakeResponse> {
  const now = yield* Clock.currentTimeMillis
  const length = interval === "1d"
    ? dayMs
    : interval === "60m"
    ? hourMs
    : interval === "15m"
    ? 15 * minuteMs
    : 5 * minuteMs
  const rows: Array<ChartBar> = []
  for (let time = Math.ceil(from / length) * length; time < Math.min(to, now); time += length) {
    const at = Math.min(now, time + length)
    const rate = yield* valueOrNull(rates.rate({ pair: "usd_krw", time: at }))
    if (rate === null || rate.quotedAt < time) continue
    rows.push({ time, open: rate.rate, high: rate.rate, low: rate.rate, close: rate.rate, volume: 0 })
  }
  return toChart({ symbol: "KRW=X", currency: "KRW", exchange: "CCY", interval, tradedAt: now }, rows)
})

const serveIndexChart = Effect.fnUntraced(function*(
  { stored }: YahooPorts,
  yahoo: string,
  from: number,
  to: number
): Effect.fn.Return<FakeResponse> {
  const now = yield* Clock.currentTimeMillis
  const bars = Math.ceil((now - from) / dayMs + 2)
  const days = (yield* valueOrNull(stored.indexHistory({ index: indexSymbols[yahoo]!, bars }))) ?? []
  const rows = withNewestTrade(
    days.filter(({ time }) => time >= from && time < to),
    days.at(-1)?.closed === false,
    true,
    Math.floor(now / 1_000) * 1_000
  )
  return toChart({ symbol: yahoo, currency: "USD", exchange: "SNP", interval: "1d", tradedAt: now }, rows)
})

export const serveChart = Effect.fnUntraced(function*(
  ports: YahooPorts,
  yahoo: string,
  query: URLSearchParams
): Effect.fn.Return<FakeResponse> {
  const interval = query.get("interval") ?? "1d"
  const [from, to] = [(queryNumber(query, "period1") ?? 0) * 1_000, (queryNumber(query, "period2") ?? 0) * 1_000]
  const now = yield* Clock.currentTimeMillis
  if (yahoo === "KRW=X") return yield* serveUsdKrwChart(ports, interval, from, to)
  if (indexSymbols[yahoo] !== undefined && interval === "1d") return yield* serveIndexChart(ports, yahoo, from, to)
  const stock = yield* valueOrNull(ports.equities.stock(toOwnSymbol(yahoo)))
  if (stock === null || toYahooSymbol(stock) !== yahoo || stock.delistedAt !== null) {
    return errorResponse("chart", 404, "Not Found", "No data found, symbol may be delisted")
  }
  const length = lengths[interval]
  if (length === undefined) return errorResponse("chart", 422, "Unprocessable Entity", "Invalid interval")
  if (from < now - length.reachesBackMs) {
    const description = `${interval} data not available for startTime=${
      seconds(from)
    }. The requested range must be within the last 60 days.`
    return errorResponse("chart", 422, "Unprocessable Entity", description)
  }
  if (stock.listedAt !== null && to < stock.listedAt) {
    return errorResponse(
      "chart",
      400,
      "Bad Request",
      `Data doesn't exist for startDate = ${seconds(from)}, endDate = ${seconds(to)}`
    )
  }
  return yield* serveStockChart(ports.equities, stock, interval, from, to)
})
