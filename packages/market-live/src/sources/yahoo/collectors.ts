/**
 * Collectors of stocks and indices: quotes and prices per minute, and the bars of sessions. All use one request per
 * minute and country, sent while the country's market trades.
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
import type { Collector, DocumentsCollector, SeriesCollector, Told } from "../../collect/collector.ts"
import { presentOf } from "../../source/index.ts"
import { indexDocument, indexKey, stockDocument, stockKey } from "../../stored/documents.ts"
import { actionsOf, barsOf, daysOf, sevenDigits, sharesSince } from "./bars.ts"
import { type FoundStock, stocksOf } from "./find.ts"
import { defaultStocks, type StockList } from "./knownStocks.ts"
import { indexQuoteOf, stockQuoteOf } from "./quotes.ts"
import type { YahooChart, YahooQuote } from "./rows.ts"
import { indices, type NamedIndex, yahooSymbols } from "./symbols.ts"
import { Yahoo, yahooName as source } from "./Yahoo.ts"

type Service = Yahoo["Service"]
type DayColumn = keyof typeof pointsKinds.equityDays.columns
type PriceColumn = keyof typeof pointsKinds.equityPrices.columns

const countries = ["US", "KR"] as const
/**
 * The delay until closes are final: Korean prices are twenty minutes late, and closes are settled some minutes after
 * the session's end.
 */
const settlesMs = 45 * minuteMs
/** The interval of quotes while a market is closed, because names, splits or share counts may change. */
const restsMs = 30 * minuteMs
const offsetMs = 2_000

const trades = (country: EquityCountry, now: number): boolean => now < lastSession(country, now).closeAt + settlesMs

/** The known data of a country's indices and stocks, from one response. */
interface Sample {
  readonly now: number
  readonly stocks: ReadonlyMap<string, FoundStock>
  readonly indices: ReadonlyArray<{ readonly named: NamedIndex; readonly row: YahooQuote }>
}

/**
 * Sends the same request for all collectors of a country, so that requests within seconds share one cached response.
 */
const sampleOf = (
  yahoo: Service,
  listed: StockList,
  country: EquityCountry
): Effect.Effect<Sample, SourceUnavailable> => {
  const own = indices.filter((index) => index.country === country)
  const symbols = [...own.map((index) => index.yahoo), ...listed[country].flatMap(yahooSymbols)]
  return Effect.flatMap(
    yahoo.quotes(symbols),
    ({ value: rows }) =>
      Effect.map(Clock.currentTimeMillis, (now): Sample => ({
        now,
        stocks: stocksOf(rows, now),
        indices: own.flatMap((named) => {
          const row = rows.get(named.yahoo)
          return row === undefined ? [] : [{ named, row }]
        })
      }))
  )
}

/** The rows of one subject. */
interface Rows<Column extends string> {
  readonly subject: string
  readonly source: string
  readonly rows: ReadonlyArray<PointRow<Column>>
}

/**
 * Requests rows of the wanted subjects in countries that trade. Other subjects get an empty result, which counts as
 * recorded.
 */
const rowsNow = <Column extends string>(
  sample: (country: EquityCountry) => Effect.Effect<Sample, SourceUnavailable>,
  subjectsOf: Readonly<Record<EquityCountry, ReadonlyArray<string>>>,
  rowsOf: (sample: Sample) => ReadonlyMap<string, PointRow<Column>>
) =>
  Effect.fnUntraced(function*(subjects: ReadonlyArray<string>): Effect.fn.Return<
    ReadonlyArray<Rows<Column>>,
    SourceUnavailable
  > {
    const wanted = new Set(subjects)
    const told: Array<Rows<Column>> = []
    for (const country of countries) {
      const own = subjectsOf[country].filter((subject) => wanted.has(subject))
      if (own.length === 0) continue
      const now = yield* Clock.currentTimeMillis
      const rows = trades(country, now) ? rowsOf(yield* sample(country)) : new Map<string, PointRow<Column>>()
      for (const subject of own) {
        const row = rows.get(subject)
        told.push({ subject, source, rows: row === undefined ? [] : [row] })
      }
    }
    return told
  })

const pricesOf = ({ now, stocks }: Sample): ReadonlyMap<string, PointRow<PriceColumn>> =>
  new Map([...stocks.values()].flatMap(({ row, stock }) => {
    const quote = stockQuoteOf(stock, row, now)
    return quote === undefined
      ? []
      : [[stockKey(stock.country, stock.symbol), {
        time: quote.time,
        price: quote.price,
        volume: quote.volume,
        turnover: null
      }]]
  }))

/** Converts a quote to the bar of its session. */
const dayOf = (country: EquityCountry, row: YahooQuote, now: number): PointRow<DayColumn> | undefined => {
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

const daysNow = ({ indices, now, stocks }: Sample): ReadonlyMap<string, PointRow<DayColumn>> => {
  const all = [
    ...Array.from(
      stocks.values(),
      ({ row, stock }) => [stockKey(stock.country, stock.symbol), stock.country, row] as const
    ),
    ...indices.map(({ named, row }) => [indexKey(named.index), named.country, row] as const)
  ]
  return new Map(all.flatMap(([subject, country, row]) => {
    const day = dayOf(country, row, now)
    return day === undefined ? [] : [[subject, day] as const]
  }))
}

/** The completed sessions of a chart, with prices as they were traded. */
const daysOfChart = (
  chart: YahooChart,
  country: EquityCountry,
  { from, to }: Interval
): ReadonlyArray<PointRow<DayColumn>> => {
  const { splits } = actionsOf(chart, country)
  const days = daysOf(barsOf(chart), country)
  return days.flatMap((day, i) => {
    const closedAt = sessionOf(country, localDay(country, day.time))!.closeAt
    if (day.time < from || closedAt > to) return []
    const shares = sharesSince(splits, day.time)
    const before = days[i - 1]
    return [{
      time: day.time,
      open: sevenDigits(day.open * shares),
      high: sevenDigits(day.high * shares),
      low: sevenDigits(day.low * shares),
      close: sevenDigits(day.close * shares),
      volume: day.volume / shares,
      quoteVolume: null,
      previousClose: before === undefined ? null : sevenDigits(before.close * shares),
      closedAt
    }]
  })
}

/** Whether a session ended or was settled in an interval. If not, later quotes contain all of its data. */
const endsIn = (country: EquityCountry, { from, to }: Interval): boolean => {
  for (
    let session = lastSession(country, to - 1);
    session.closeAt + settlesMs > from;
    session = previousSession(country, session.day)
  ) {
    if (session.closeAt < to) return true
  }
  return false
}

/** The time up to which sessions are settled. */
const settledUntil = (country: EquityCountry, present: number): number => {
  const last = lastSession(country, present)
  return present >= last.closeAt + settlesMs ? nextSession(country, last.day).closeAt : last.closeAt
}

/** The days before the interval that are requested too, so that its first session has a previous close. */
const marginMs = 12 * dayMs

type Named = ReadonlyMap<string, { readonly country: EquityCountry; readonly symbol: string }>

/** Requests the bars of past sessions. The running session comes from quotes. */
const pastDays = (
  yahoo: Service,
  names: Named,
  sample: (country: EquityCountry) => Effect.Effect<Sample, SourceUnavailable>
) =>
  Effect.fnUntraced(
    function*(subject: string, interval: Interval): Effect.fn.Return<Told<DayColumn>, SourceUnavailable> {
      const { country, symbol } = names.get(subject)!
      const nothing = { source, rows: [], until: interval.to }
      if (!endsIn(country, interval)) return nothing
      const index = indices.find((one) => indexKey(one.index) === subject)
      const yahooSymbol = index?.yahoo ?? (yield* sample(country)).stocks.get(symbol)?.row.symbol
      // A delisted stock has no data.
      if (yahooSymbol === undefined) return { ...nothing, until: interval.from }
      const now = yield* Clock.currentTimeMillis
      const answer = yield* yahoo.chart({
        symbol: yahooSymbol,
        interval: "1d",
        from: Math.floor((interval.from - marginMs) / dayMs) * dayMs,
        to: (Math.floor(now / minuteMs) + 2) * minuteMs
      })
      if (answer.value === null) return { ...nothing, until: interval.from }
      const until = Math.min(interval.to, settledUntil(country, Math.min(now, presentOf(answer))))
      return { source, rows: daysOfChart(answer.value, country, { from: interval.from - dayMs, to: until }), until }
    }
  )

/** Collects quotes every minute while a market trades, otherwise occasionally. */
const quotes = (
  listed: StockList,
  sample: (country: EquityCountry) => Effect.Effect<Sample, SourceUnavailable>
): DocumentsCollector => {
  const asked = new Map<EquityCountry, number>()
  const documentsOf = ({ indices, now, stocks }: Sample) => [
    ...[...stocks.values()].map(({ row, stock }) => {
      const { country, delistedAt, exchange, listedAt, name, sector, symbol } = stock
      const quote = stockQuoteOf(stock, row, now) ?? null
      return stockDocument.rowOf({ key: stockKey(country, symbol), time: now, source }, {
        name,
        exchange,
        sector,
        listedAt,
        delistedAt,
        quote
      })
    }),
    ...indices.map(({ named, row }) => {
      const { country, index, name } = named
      const quote = indexQuoteOf(named, row, now) ?? null
      return indexDocument.rowOf({ key: indexKey(index), time: now, source }, { name, country, quote })
    })
  ]
  return {
    _tag: "documents",
    source,
    name: "quotes",
    kind: stockDocument.kind,
    everyMs: minuteMs,
    offsetMs,
    ask: Effect.gen(function*() {
      const documents = []
      for (const country of countries) {
        const now = yield* Clock.currentTimeMillis
        const isBusy = trades(country, now) || sessionState(country, now) !== "closed"
        if (listed[country].length === 0 || (!isBusy && now - (asked.get(country) ?? -Infinity) < restsMs)) continue
        documents.push(...documentsOf(yield* sample(country)))
        asked.set(country, now)
      }
      return { documents, faults: [] }
    })
  }
}

export interface YahooCollecting {
  readonly stocks?: StockList
  /** How many days of sessions are backfilled. */
  readonly days?: number
}

const forAll = (subjects: ReadonlyArray<string>) => Effect.succeed(subjects.map((subject) => ({ subject, from: 0 })))

const byCountry = (of: (country: EquityCountry) => ReadonlyArray<string>) => ({ US: of("US"), KR: of("KR") })

/** The collectors of the data of `StoredEquities`. */
export const yahooCollectors = ({ days = 400, stocks: listed = defaultStocks }: YahooCollecting = {}): Effect.Effect<
  ReadonlyArray<Collector>,
  never,
  Yahoo
> =>
  Effect.map(Yahoo, (yahoo) => {
    const sample = (country: EquityCountry) => sampleOf(yahoo, listed, country)
    const stocks = byCountry((country) => listed[country].map((symbol) => stockKey(country, symbol)))
    const named = byCountry((country) => [
      ...stocks[country],
      ...indices.filter((index) => index.country === country).map(({ index }) => indexKey(index))
    ])
    const names: Named = new Map([
      ...countries.flatMap((country) =>
        listed[country].map((symbol) => [stockKey(country, symbol), { country, symbol }] as const)
      ),
      ...indices.map(({ country, index, yahoo: symbol }) => [indexKey(index), { country, symbol }] as const)
    ])
    const prices: SeriesCollector<PriceColumn> = {
      _tag: "series",
      source,
      name: "prices",
      kind: pointsKinds.equityPrices,
      everyMs: minuteMs,
      offsetMs,
      rowsAre: "instants",
      subjects: forAll([...stocks.US, ...stocks.KR]),
      snapshot: { lateMs: minuteMs - offsetMs, ask: rowsNow(sample, stocks, pricesOf) }
    }
    const sessions: SeriesCollector<DayColumn> = {
      _tag: "series",
      source,
      name: "sessions",
      kind: pointsKinds.equityDays,
      everyMs: 5 * minuteMs,
      offsetMs,
      rowsAre: "instants",
      subjects: forAll([...named.US, ...named.KR]),
      snapshot: { lateMs: 2 * minuteMs, ask: rowsNow(sample, named, daysNow) },
      backfill: {
        reachesBackMs: 100 * 365 * dayMs,
        wantedMs: days * dayMs,
        longestMs: 3 * 365 * dayMs,
        ask: pastDays(yahoo, names, sample)
      }
    }
    return [quotes(listed, sample), prices, sessions]
  })
