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
/** The maximum number of candles in one response, on the venues with the most. */
const maxCandles = 1_000

export interface SpotBackfillDays {
  /** How many days of candles and of prices per minute are backfilled. */
  readonly candleDays: number
  readonly priceDays: number
  /** False if `coinCollectors` writes the facts together with supplies. Only one collector may write them. */
  readonly includeFacts?: boolean
}

interface CollectorContext {
  readonly failover: VenueFailover<SpotVenue>
  readonly listings: CoinListings
  /** The first venue's lead is used for all venues. */
  readonly source: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
}

const intervalMs = { "1m": minuteMs, "5m": fiveMinutesMs } as const

/**
 * Requests the closed candles of an interval from a venue, with the time up to which they are complete. Null if the
 * venue does not list the coin.
 */
const fetchCandles =
  ({ listings }: CollectorContext, coin: string, interval: keyof typeof intervalMs, range: Interval) =>
  (venue: SpotVenue) => {
    const stepMs = intervalMs[interval]
    const market = listings.marketOf(venue, coin)
    if (market === null) return Effect.succeed(null)
    // A later part of the interval needs another response, however few candles there are.
    const part = { from: range.from, to: Math.min(range.to, range.from + venue.maxCandles * stepMs) }
    return Effect.map(venue.candles({ symbol: market.symbol, interval, ...part }), (answer) => {
      if (answer.value === null) return null
      const rows = answer.value.filter(({ closed }) => closed)
      const times = rows.map(({ time }) => time)
      return { rows, until: completeUntil(part, { answer, times, maxBuckets: venue.maxCandles, stepMs }) }
    })
  }
/** Like `fetchCandles`, from the venue on duty. */
const fetchClosedCandles = (
  parts: CollectorContext,
  coin: string,
  interval: keyof typeof intervalMs,
  range: Interval
) =>
  Effect.map(
    parts.failover.request(`${interval}:${coin}`, fetchCandles(parts, coin, interval, range)),
    // A delisted coin has no data.
    (result) =>
      result === null
        ? { source: parts.source, rows: [], until: range.from }
        : { source: result.venue.name, ...result.value }
  )

const withoutClosed = <R extends { readonly closed: boolean }>(rows: ReadonlyArray<R>) =>
  rows.map(({ closed: _, ...row }) => row)

const makeCandlesCollector = (parts: CollectorContext, days: number): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "candles",
  kind: pointsKinds.candles,
  everyMs: fiveMinutesMs,
  offsetMs: 2_000,
  rowTimes: "buckets",
  subjects: parts.subjects,
  unlisted: () => parts.listings.unlisted,
  ...trackPreferredVenue(parts.failover),
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: days * dayMs,
    maxIntervalMs: maxCandles * fiveMinutesMs,
    fetch: (coin, interval) =>
      Effect.map(
        fetchClosedCandles(parts, coin, "5m", interval),
        ({ rows, ...told }) => ({ ...told, rows: withoutClosed(rows) })
      )
  }
})

/** Candles of other venues lack the takers' side, so candles of the first venue replace them. */
const makePreferredCandlesCollector = (parts: CollectorContext, days: number): SeriesCollector => {
  const { listings, failover: { venues: [first] }, source } = parts
  return makePreferredVenueCollector(makeCandlesCollector(parts, days), {
    venue: source,
    listedSubjects: Effect.map(
      parts.subjects,
      (all) => all.filter(({ subject }) => listings.marketOf(first, subject) !== null)
    ),
    fetch: (coin, interval) =>
      Effect.map(fetchCandles(parts, coin, "5m", interval)(first), (response) =>
        response === null
          ? { source, rows: [], until: interval.from }
          : { source, rows: withoutClosed(response.rows), until: response.until })
  })
}

/** Collects the closing price of each minute, at the minute's end. */
const makePricesCollector = (parts: CollectorContext, days: number): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "prices",
  kind: pointsKinds.prices,
  everyMs: minuteMs,
  offsetMs: 2_000,
  rowTimes: "instants",
  subjects: parts.subjects,
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: days * dayMs,
    maxIntervalMs: maxCandles * minuteMs,
    fetch: (coin, { from, to }) =>
      Effect.map(
        fetchClosedCandles(parts, coin, "1m", { from: from - minuteMs, to: to - minuteMs }),
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
 * The collectors of spot markets: candles, prices per minute, facts, and the last 24 hours. Each coin uses the first
 * venue that serves (`VenueFailover`), and rows name their venue. Candles that another venue provided are requested
 * from the first one again.
 */
export const spotCollectors = (
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>],
  coins: ReadonlyArray<TrackedCoin>,
  { candleDays, includeFacts = true, priceDays }: SpotBackfillDays
): ReadonlyArray<Collector> => {
  const order = new VenueFailover(venues)
  const listings = new CoinListings(order, coins)
  const subjects = Effect.map(
    listings.listed,
    (all) => all.map(({ coin, listedAt }) => ({ subject: coin, from: listedAt }))
  )
  const parts = { failover: order, listings, source: venues[0].name, subjects }
  return [
    makeCandlesCollector(parts, candleDays),
    ...(venues.length > 1 ? [makePreferredCandlesCollector(parts, candleDays)] : []),
    makePricesCollector(parts, priceDays),
    ...(includeFacts ? [makeFactsCollector(parts)] : []),
    makeTickersCollector(parts)
  ]
}
