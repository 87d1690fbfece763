import { dayMs, type Interval, minuteMs, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector, DocumentsCollector, SeriesCollector, Subject } from "../collect/collector.ts"
import { completeUntil } from "../collect/completeUntil.ts"
import { makePreferredVenueCollector, trackPreferredVenue } from "../collect/preferredVenueCollector.ts"
import { VenueFailover } from "../collect/VenueFailover.ts"
import { coinDocument, tickerDocument } from "../stored/documents.ts"
import { CoinListings } from "./CoinListings.ts"
import type { SpotVenue } from "./SpotVenue.ts"

const fiveMinutesMs = 5 * minuteMs
const maxCandles = 1_000

export interface SpotBackfillDays {
  /** The numbers of past days to backfill, for candles and for minute prices. */
  readonly candleDays: number
  readonly priceDays: number
  /** Whether to collect coin facts. `includeFacts` must be false if `coinCollectors` writes the coin facts. */
  readonly includeFacts?: boolean
}

interface CollectorContext {
  readonly failover: VenueFailover<SpotVenue>
  readonly listings: CoinListings
  /** The preferred venue, whose leader also collects from the other venues. */
  readonly source: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
}

const intervalMs = { "1m": minuteMs, "5m": fiveMinutesMs } as const

/**
 * Fetches a coin's closed candles from a venue, and the time up to which the candles are complete. Returns null if the
 * venue does not list the coin.
 */
const fetchCandles =
  ({ listings }: CollectorContext, coin: string, interval: keyof typeof intervalMs, range: Interval) =>
  (venue: SpotVenue) => {
    const stepMs = intervalMs[interval]
    const market = listings.marketOf(venue, coin)
    if (market === null) return Effect.succeed(null)
    // A request covers at most `maxCandles` steps, even if the market has few candles. A later request fetches the rest
    // of the interval.
    const part = { from: range.from, to: Math.min(range.to, range.from + venue.maxCandles * stepMs) }
    return Effect.map(venue.candles({ symbol: market.symbol, interval, ...part }), (answer) => {
      if (answer.value === null) return null
      const rows = answer.value.filter(({ closed }) => closed)
      const times = rows.map(({ time }) => time)
      return { rows, until: completeUntil(part, { answer, times, maxBuckets: venue.maxCandles, stepMs }) }
    })
  }
const fetchClosedCandles = (
  context: CollectorContext,
  coin: string,
  interval: keyof typeof intervalMs,
  range: Interval
) =>
  Effect.map(
    context.failover.request(`${interval}:${coin}`, fetchCandles(context, coin, interval, range)),
    // A delisted coin has no data.
    (result) =>
      result === null
        ? { source: context.source, rows: [], until: range.from }
        : { source: result.venue.name, ...result.value }
  )

const withoutClosed = <R extends { readonly closed: boolean }>(rows: ReadonlyArray<R>) =>
  rows.map(({ closed: _, ...row }) => row)

const makeCandlesCollector = (context: CollectorContext, days: number): SeriesCollector => ({
  _tag: "series",
  source: context.source,
  name: "candles",
  kind: pointsKinds.candles,
  everyMs: fiveMinutesMs,
  offsetMs: 2_000,
  rowTimes: "buckets",
  subjects: context.subjects,
  unlisted: () => context.listings.unlisted,
  ...trackPreferredVenue(context.failover),
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: days * dayMs,
    maxIntervalMs: maxCandles * fiveMinutesMs,
    fetch: (coin, interval) =>
      Effect.map(
        fetchClosedCandles(context, coin, "5m", interval),
        ({ rows, ...response }) => ({ ...response, rows: withoutClosed(rows) })
      )
  }
})

/**
 * Returns the collector that replaces candles of other venues by candles of the preferred venue. Candles of venues
 * other than the preferred venue contain no taker volume.
 */
const makePreferredCandlesCollector = (context: CollectorContext, days: number): SeriesCollector => {
  const { listings, failover: { venues: [first] }, source } = context
  return makePreferredVenueCollector(makeCandlesCollector(context, days), {
    venue: source,
    listedSubjects: Effect.map(
      context.subjects,
      (all) => all.filter(({ subject }) => listings.marketOf(first, subject) !== null)
    ),
    fetch: (coin, interval) =>
      Effect.map(fetchCandles(context, coin, "5m", interval)(first), (response) =>
        response === null
          ? { source, rows: [], until: interval.from }
          : { source, rows: withoutClosed(response.rows), until: response.until })
  })
}

/** Collects the closing price of each minute, at the minute's end. */
const makePricesCollector = (context: CollectorContext, days: number): SeriesCollector => ({
  _tag: "series",
  source: context.source,
  name: "prices",
  kind: pointsKinds.prices,
  everyMs: minuteMs,
  offsetMs: 2_000,
  rowTimes: "instants",
  subjects: context.subjects,
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: days * dayMs,
    maxIntervalMs: maxCandles * minuteMs,
    fetch: (coin, { from, to }) =>
      Effect.map(
        fetchClosedCandles(context, coin, "1m", { from: from - minuteMs, to: to - minuteMs }),
        ({ rows, source, until }) => ({
          source,
          until: until + minuteMs,
          rows: rows.map(({ close, time }) => ({ time: time + minuteMs, price: close }))
        })
      )
  }
})

const makeFactsCollector = ({ listings, source }: CollectorContext): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "coins",
  kind: coinDocument.kind,
  everyMs: 60 * minuteMs,
  offsetMs: 0,
  fetch: Effect.gen(function*() {
    const coins = yield* listings.listed
    const time = yield* Clock.currentTimeMillis
    const documents = coins.map(({ coin, listedAt, name, sector, venue }) =>
      coinDocument.encodeRow({ key: coin, time, source: venue }, {
        name,
        sector,
        circulatingSupply: null,
        maxSupply: null,
        listedAt,
        delistedAt: null,
        isStablecoin: false
      })
    )
    return { documents, faults: [] }
  })
})

const toTickerDocument = (source: string) => ({ coin: key, time, ...day }: Ticker) => {
  const { change24hPct, high24h, low24h, volume24hUsd } = day
  return tickerDocument.encodeRow({ key, time, source }, { change24hPct, high24h, low24h, volume24hUsd })
}

const makeTickersCollector = ({ listings, failover, source }: CollectorContext): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "tickers",
  kind: tickerDocument.kind,
  everyMs: fiveMinutesMs,
  offsetMs: 10_000,
  fetch: Effect.gen(function*() {
    yield* listings.listed
    const result = yield* failover.request("tickers", (venue) => {
      const markets = listings.marketsOf(venue)
      return markets.length === 0 ? Effect.succeed(null) : venue.tickers(markets)
    })
    return { documents: result === null ? [] : result.value.map(toTickerDocument(result.venue.name)), faults: [] }
  })
})

/**
 * Returns the collectors of candles, minute prices, coin facts and 24-hour tickers, from the first available venue of
 * each coin. Candles of other venues are later replaced by candles of the preferred venue.
 */
export const spotCollectors = (
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>],
  coins: ReadonlyArray<TrackedCoin>,
  { candleDays, includeFacts = true, priceDays }: SpotBackfillDays
): ReadonlyArray<Collector> => {
  const failover = new VenueFailover(venues)
  const listings = new CoinListings(failover, coins)
  const subjects = Effect.map(
    listings.listed,
    (all) => all.map(({ coin, listedAt }) => ({ subject: coin, from: listedAt }))
  )
  const context = { failover, listings, source: venues[0].name, subjects }
  return [
    makeCandlesCollector(context, candleDays),
    ...(venues.length > 1 ? [makePreferredCandlesCollector(context, candleDays)] : []),
    makePricesCollector(context, priceDays),
    ...(includeFacts ? [makeFactsCollector(context)] : []),
    makeTickersCollector(context)
  ]
}
