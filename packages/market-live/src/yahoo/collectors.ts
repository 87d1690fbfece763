/**
 * Collects quotes and minute prices of stocks and indices, and daily bars of sessions. The collectors of a country
 * share one request per minute.
 */
import {
  dayMs,
  type EquityCountry,
  type Interval,
  lastSession,
  localDay,
  minuteMs,
  nextSession,
  previousSession,
  sessionOf,
  sessionState,
  type SourceUnavailable
} from "@tapeline/core/market"
import { type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Collector, DocumentsCollector, SeriesCollector, SeriesResponse } from "../collect/collector.ts"
import { sourceTimeOf } from "../source/index.ts"
import { indexDocument, indexKey, stockDocument, stockKey } from "../stored/documents.ts"
import { roundToSevenDigits, sharesSince, toBars, toCorporateActions, toSessionBars } from "./bars.ts"
import { type FoundStock, toStocksBySymbol } from "./findStocks.ts"
import { defaultStocks, type StockList } from "./knownStocks.ts"
import { toIndexQuote, toStockQuote } from "./quotes.ts"
import type { YahooChart, YahooQuote } from "./rows.ts"
import { indices, type NamedIndex, yahooSymbolsOf } from "./symbols.ts"
import { Yahoo, yahooName as source } from "./Yahoo.ts"

type Service = Yahoo["Service"]
type DayColumn = keyof typeof pointsKinds.equityDays.columns
type PriceColumn = keyof typeof pointsKinds.equityPrices.columns

const countries = ["US", "KR"] as const
/** The delay after a session until its closing prices are final. Yahoo's Korean prices are twenty minutes late. */
const settlementDelayMs = 45 * minuteMs
/**
 * The interval between requests for quotes while a market is closed. Names, splits and share counts may change while a
 * market is closed.
 */
const closedMarketIntervalMs = 30 * minuteMs
const offsetMs = 2_000

const isTradingNow = (country: EquityCountry, now: number): boolean =>
  now < lastSession(country, now).closeAt + settlementDelayMs

interface MarketSnapshot {
  readonly now: number
  readonly stocks: ReadonlyMap<string, FoundStock>
  readonly indices: ReadonlyArray<{ readonly namedIndex: NamedIndex; readonly row: YahooQuote }>
}

/**
 * Fetches one snapshot of a country for all collectors. Requests for one country within a few seconds share one cached
 * response.
 */
const fetchSnapshot = (
  yahoo: Service,
  listed: StockList,
  country: EquityCountry
): Effect.Effect<MarketSnapshot, SourceUnavailable> => {
  const countryIndices = indices.filter((index) => index.country === country)
  const symbols = [...countryIndices.map((index) => index.yahooSymbol), ...listed[country].flatMap(yahooSymbolsOf)]
  return Effect.flatMap(
    yahoo.quotes(symbols),
    ({ value: rows }) =>
      Effect.map(Clock.currentTimeMillis, (now): MarketSnapshot => ({
        now,
        stocks: toStocksBySymbol(rows, now),
        indices: countryIndices.flatMap((named) => {
          const row = rows.get(named.yahooSymbol)
          return row === undefined ? [] : [{ namedIndex: named, row }]
        })
      }))
  )
}

interface SubjectRows<Column extends string> {
  readonly subject: string
  readonly source: string
  readonly rows: ReadonlyArray<PointRow<Column>>
}

/**
 * Returns a function that fetches rows of subjects whose market is trading. Subjects whose market is closed get an
 * empty result and count as recorded.
 */
const makeRowsFetch = <Column extends string>(
  sample: (country: EquityCountry) => Effect.Effect<MarketSnapshot, SourceUnavailable>,
  subjectsOf: Readonly<Record<EquityCountry, ReadonlyArray<string>>>,
  rowsOf: (sample: MarketSnapshot) => ReadonlyMap<string, PointRow<Column>>
) =>
  Effect.fnUntraced(function*(subjects: ReadonlyArray<string>): Effect.fn.Return<
    ReadonlyArray<SubjectRows<Column>>,
    SourceUnavailable
  > {
    const wanted = new Set(subjects)
    const results: Array<SubjectRows<Column>> = []
    for (const country of countries) {
      const own = subjectsOf[country].filter((subject) => wanted.has(subject))
      if (own.length === 0) continue
      const now = yield* Clock.currentTimeMillis
      const rows = isTradingNow(country, now) ? rowsOf(yield* sample(country)) : new Map<string, PointRow<Column>>()
      for (const subject of own) {
        const row = rows.get(subject)
        results.push({ subject, source, rows: row === undefined ? [] : [row] })
      }
    }
    return results
  })

const toPriceRows = ({ now, stocks }: MarketSnapshot): ReadonlyMap<string, PointRow<PriceColumn>> =>
  new Map([...stocks.values()].flatMap(({ row, stock }) => {
    const quote = toStockQuote(stock, row, now)
    return quote === undefined
      ? []
      : [[stockKey(stock.country, stock.symbol), {
        time: quote.time,
        price: quote.price,
        volume: quote.volume,
        turnover: null
      }]]
  }))

const toSessionRow = (country: EquityCountry, row: YahooQuote, now: number): PointRow<DayColumn> | undefined => {
  const { regularMarketPrice: close, regularMarketTime: tradedAt, regularMarketOpen: open } = row
  if (close == null || tradedAt == null || open == null) return undefined
  const session = sessionOf(country, localDay(country, Math.min(tradedAt, now)))
  if (session === undefined) return undefined
  return {
    time: session.openAt,
    open,
    high: Math.max(open, close, row.regularMarketDayHigh ?? close),
    low: Math.min(open, close, row.regularMarketDayLow ?? close),
    close,
    volume: row.regularMarketVolume ?? null,
    quoteVolume: null,
    previousClose: row.regularMarketPreviousClose ?? null,
    closedAt: session.closeAt
  }
}

const toSessionRows = ({ indices, now, stocks }: MarketSnapshot): ReadonlyMap<string, PointRow<DayColumn>> => {
  const all = [
    ...Array.from(
      stocks.values(),
      ({ row, stock }) => [stockKey(stock.country, stock.symbol), stock.country, row] as const
    ),
    ...indices.map(({ namedIndex, row }) => [indexKey(namedIndex.index), namedIndex.country, row] as const)
  ]
  return new Map(all.flatMap(([subject, country, row]) => {
    const day = toSessionRow(country, row, now)
    return day === undefined ? [] : [[subject, day] as const]
  }))
}

/**
 * Returns the daily bars of a chart's completed sessions. The prices of the bars are not adjusted for splits and
 * dividends.
 */
const chartSessionRows = (
  chart: YahooChart,
  country: EquityCountry,
  { from, to }: Interval
): ReadonlyArray<PointRow<DayColumn>> => {
  const { splits } = toCorporateActions(chart, country)
  const days = toSessionBars(toBars(chart), country)
  return days.flatMap((day, i) => {
    const closedAt = sessionOf(country, localDay(country, day.time))!.closeAt
    if (day.time < from || closedAt > to) return []
    const shares = sharesSince(splits, day.time)
    const before = days[i - 1]
    return [{
      time: day.time,
      open: roundToSevenDigits(day.open * shares),
      high: roundToSevenDigits(day.high * shares),
      low: roundToSevenDigits(day.low * shares),
      close: roundToSevenDigits(day.close * shares),
      volume: day.volume / shares,
      quoteVolume: null,
      previousClose: before === undefined ? null : roundToSevenDigits(before.close * shares),
      closedAt
    }]
  })
}

/**
 * Returns whether a session ended or was settled in an interval. If no session ended in the interval, a later quote
 * contains all data of the interval.
 */
const hasSessionEnd = (country: EquityCountry, { from, to }: Interval): boolean => {
  for (
    let session = lastSession(country, to - 1);
    session.closeAt + settlementDelayMs > from;
    session = previousSession(country, session.day)
  ) {
    if (session.closeAt < to) return true
  }
  return false
}

const settledUntilTime = (country: EquityCountry, present: number): number => {
  const last = lastSession(country, present)
  return present >= last.closeAt + settlementDelayMs ? nextSession(country, last.day).closeAt : last.closeAt
}

/** The time by which the requested chart begins before the interval, so that the first session has a previous close. */
const previousCloseMarginMs = 12 * dayMs

type StockNames = ReadonlyMap<string, { readonly country: EquityCountry; readonly symbol: string }>

const makeSessionsBackfill = (
  yahoo: Service,
  names: StockNames,
  sample: (country: EquityCountry) => Effect.Effect<MarketSnapshot, SourceUnavailable>
) =>
  Effect.fnUntraced(
    function*(subject: string, interval: Interval): Effect.fn.Return<SeriesResponse<DayColumn>, SourceUnavailable> {
      const { country, symbol } = names.get(subject)!
      const emptyResult = { source, rows: [], until: interval.to }
      if (!hasSessionEnd(country, interval)) return emptyResult
      const index = indices.find((one) => indexKey(one.index) === subject)
      const yahooSymbol = index?.yahooSymbol ?? (yield* sample(country)).stocks.get(symbol)?.row.symbol
      // A delisted stock has no data.
      if (yahooSymbol === undefined) return { ...emptyResult, until: interval.from }
      const now = yield* Clock.currentTimeMillis
      const answer = yield* yahoo.chart({
        symbol: yahooSymbol,
        interval: "1d",
        from: Math.floor((interval.from - previousCloseMarginMs) / dayMs) * dayMs,
        to: (Math.floor(now / minuteMs) + 2) * minuteMs
      })
      if (answer.value === null) return { ...emptyResult, until: interval.from }
      const until = Math.min(interval.to, settledUntilTime(country, Math.min(now, sourceTimeOf(answer))))
      return {
        source,
        rows: chartSessionRows(answer.value, country, { from: interval.from - dayMs, to: until }),
        until
      }
    }
  )

/** Returns the collector of quotes, every minute while a market trades, and occasionally while it is closed. */
const makeQuotesCollector = (
  listed: StockList,
  sample: (country: EquityCountry) => Effect.Effect<MarketSnapshot, SourceUnavailable>
): DocumentsCollector => {
  const lastFetchedAt = new Map<EquityCountry, number>()
  const documentsOf = ({ indices, now, stocks }: MarketSnapshot) => [
    ...[...stocks.values()].map(({ row, stock }) => {
      const { country, delistedAt, exchange, listedAt, name, sector, symbol } = stock
      const quote = toStockQuote(stock, row, now) ?? null
      return stockDocument.encodeRow({ key: stockKey(country, symbol), time: now, source }, {
        name,
        exchange,
        sector,
        listedAt,
        delistedAt,
        quote
      })
    }),
    ...indices.map(({ namedIndex, row }) => {
      const { country, index, name } = namedIndex
      const quote = toIndexQuote(namedIndex, row, now) ?? null
      return indexDocument.encodeRow({ key: indexKey(index), time: now, source }, { name, country, quote })
    })
  ]
  return {
    _tag: "documents",
    source,
    name: "quotes",
    kind: stockDocument.kind,
    everyMs: minuteMs,
    offsetMs,
    fetch: Effect.gen(function*() {
      const documents = []
      for (const country of countries) {
        const now = yield* Clock.currentTimeMillis
        const isActive = isTradingNow(country, now) || sessionState(country, now) !== "closed"
        if (
          listed[country].length === 0 ||
          (!isActive && now - (lastFetchedAt.get(country) ?? -Infinity) < closedMarketIntervalMs)
        ) continue
        documents.push(...documentsOf(yield* sample(country)))
        lastFetchedAt.set(country, now)
      }
      return { documents, faults: [] }
    })
  }
}

export interface YahooCollectorOptions {
  readonly stocks?: StockList
  readonly days?: number
}

const alwaysListed = (subjects: ReadonlyArray<string>) =>
  Effect.succeed(subjects.map((subject) => ({ subject, from: 0 })))

const forEachCountry = (valueOf: (country: EquityCountry) => ReadonlyArray<string>) => ({
  US: valueOf("US"),
  KR: valueOf("KR")
})

/** Returns the collectors of the data that `StoredEquities` reads. */
export const makeYahooCollectors = (
  { days = 400, stocks: listed = defaultStocks }: YahooCollectorOptions = {}
): Effect.Effect<
  ReadonlyArray<Collector>,
  never,
  Yahoo
> =>
  Effect.map(Yahoo, (yahoo) => {
    const sample = (country: EquityCountry) => fetchSnapshot(yahoo, listed, country)
    const stocks = forEachCountry((country) => listed[country].map((symbol) => stockKey(country, symbol)))
    const subjectsByCountry = forEachCountry((country) => [
      ...stocks[country],
      ...indices.filter((index) => index.country === country).map(({ index }) => indexKey(index))
    ])
    const names: StockNames = new Map([
      ...countries.flatMap((country) =>
        listed[country].map((symbol) => [stockKey(country, symbol), { country, symbol }] as const)
      ),
      ...indices.map(({ country, index, yahooSymbol: symbol }) => [indexKey(index), { country, symbol }] as const)
    ])
    const prices: SeriesCollector<PriceColumn> = {
      _tag: "series",
      source,
      name: "prices",
      kind: pointsKinds.equityPrices,
      everyMs: minuteMs,
      offsetMs,
      rowTimes: "instants",
      subjects: alwaysListed([...stocks.US, ...stocks.KR]),
      snapshot: { maxDelayMs: minuteMs - offsetMs, fetch: makeRowsFetch(sample, stocks, toPriceRows) }
    }
    const sessions: SeriesCollector<DayColumn> = {
      _tag: "series",
      source,
      name: "sessions",
      kind: pointsKinds.equityDays,
      everyMs: 5 * minuteMs,
      offsetMs,
      rowTimes: "instants",
      subjects: alwaysListed([...subjectsByCountry.US, ...subjectsByCountry.KR]),
      snapshot: { maxDelayMs: 2 * minuteMs, fetch: makeRowsFetch(sample, subjectsByCountry, toSessionRows) },
      backfill: {
        sourceRetentionMs: 100 * 365 * dayMs,
        lookbackMs: days * dayMs,
        maxIntervalMs: 3 * 365 * dayMs,
        fetch: makeSessionsBackfill(yahoo, names, sample)
      }
    }
    return [makeQuotesCollector(listed, sample), prices, sessions]
  })
