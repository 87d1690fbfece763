import { dayMs, type Interval, minuteMs, type SourceUnavailable, type Ticker } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { coinDocument, tickerDocument } from "../../stored/documents.ts"
import { askedAgain, askedFirst } from "../askedAgain.ts"
import type { Collector, DocumentsCollector, SeriesCollector, Subject } from "../collector.ts"
import { toldUntil } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { VenueOrder } from "../VenueOrder.ts"
import { Listings } from "./Listings.ts"
import type { SpotVenue } from "./SpotVenue.ts"

const fineMs = 5 * minuteMs
/** The maximum number of candles in one response, on the venues with the most. */
const most = 1_000

export interface SpotDays {
  /** How many days of candles and of prices per minute are backfilled. */
  readonly candleDays: number
  readonly priceDays: number
  /** False if `coinCollectors` writes the facts together with supplies. Only one collector may write them. */
  readonly facts?: boolean
}

interface Parts {
  readonly order: VenueOrder<SpotVenue>
  readonly listings: Listings
  /** The first venue's lead is used for all venues. */
  readonly source: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
}

const lengths = { "1m": minuteMs, "5m": fineMs } as const

/**
 * Requests the closed candles of an interval from a venue, with the time up to which they are complete. Null if the
 * venue does not list the coin.
 */
const candlesOf =
  ({ listings }: Parts, coin: string, interval: keyof typeof lengths, asked: Interval) => (venue: SpotVenue) => {
    const stepMs = lengths[interval]
    const market = listings.marketOf(venue, coin)
    if (market === null) return Effect.succeed(null)
    // A later part of the interval needs another response, however few candles there are.
    const part = { from: asked.from, to: Math.min(asked.to, asked.from + venue.most * stepMs) }
    return Effect.map(venue.candles({ symbol: market.symbol, interval, ...part }), (answer) => {
      if (answer.value === null) return null
      const rows = answer.value.filter(({ closed }) => closed)
      const times = rows.map(({ time }) => time)
      return { rows, until: toldUntil(part, { answer, times, most: venue.most, stepMs }) }
    })
  }
/** Like `candlesOf`, from the venue on duty. */
const closedCandles = (parts: Parts, coin: string, interval: keyof typeof lengths, asked: Interval) =>
  Effect.map(
    parts.order.ask(`${interval}:${coin}`, candlesOf(parts, coin, interval, asked)),
    // A delisted coin has no data.
    (told) =>
      told === null
        ? { source: parts.source, rows: [], until: asked.from }
        : { source: told.venue.name, ...told.value }
  )

const withoutClosed = <R extends { readonly closed: boolean }>(rows: ReadonlyArray<R>) =>
  rows.map(({ closed: _, ...row }) => row)

const candles = (parts: Parts, days: number): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "candles",
  kind: pointsKinds.candles,
  everyMs: fineMs,
  offsetMs: 2_000,
  rowsAre: "buckets",
  subjects: parts.subjects,
  unlisted: () => parts.listings.unlisted,
  ...askedFirst(parts.order),
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs: most * fineMs,
    ask: (coin, interval) =>
      Effect.map(
        closedCandles(parts, coin, "5m", interval),
        ({ rows, ...told }) => ({ ...told, rows: withoutClosed(rows) })
      )
  }
})

/** Candles of other venues lack the takers' side, so candles of the first venue replace them. */
const candlesAgain = (parts: Parts, days: number): SeriesCollector => {
  const { listings, order: { venues: [first] }, source } = parts
  return askedAgain(candles(parts, days), {
    venue: source,
    listed: Effect.map(
      parts.subjects,
      (all) => all.filter(({ subject }) => listings.marketOf(first, subject) !== null)
    ),
    ask: (coin, interval) =>
      Effect.map(candlesOf(parts, coin, "5m", interval)(first), (told) =>
        told === null
          ? { source, rows: [], until: interval.from }
          : { source, rows: withoutClosed(told.rows), until: told.until })
  })
}

/** Collects the closing price of each minute, at the minute's end. */
const prices = (parts: Parts, days: number): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "prices",
  kind: pointsKinds.prices,
  everyMs: minuteMs,
  offsetMs: 2_000,
  rowsAre: "instants",
  subjects: parts.subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs: most * minuteMs,
    ask: (coin, { from, to }) =>
      Effect.map(
        closedCandles(parts, coin, "1m", { from: from - minuteMs, to: to - minuteMs }),
        ({ rows, source, until }) => ({
          source,
          until: until + minuteMs,
          rows: rows.map(({ close, time }) => ({ time: time + minuteMs, price: close }))
        })
      )
  }
})

const facts = ({ listings, source }: Parts): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "coins",
  kind: coinDocument.kind,
  everyMs: 60 * minuteMs,
  offsetMs: 0,
  ask: Effect.gen(function*() {
    const coins = yield* listings.listed
    const time = yield* Clock.currentTimeMillis
    const documents = coins.map(({ coin, listedAt, name, sector, venue }) =>
      coinDocument.rowOf({ key: coin, time, source: venue }, {
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

const dayOf = (source: string) => ({ coin: key, time, ...day }: Ticker) => {
  const { change24hPct, high24h, low24h, volume24hUsd } = day
  return tickerDocument.rowOf({ key, time, source }, { change24hPct, high24h, low24h, volume24hUsd })
}

const days = ({ listings, order, source }: Parts): DocumentsCollector => ({
  _tag: "documents",
  source,
  name: "tickers",
  kind: tickerDocument.kind,
  everyMs: fineMs,
  offsetMs: 10_000,
  ask: Effect.gen(function*() {
    yield* listings.listed
    const told = yield* order.ask("tickers", (venue) => {
      const markets = listings.marketsOf(venue)
      return markets.length === 0 ? Effect.succeed(null) : venue.tickers(markets)
    })
    return { documents: told === null ? [] : told.value.map(dayOf(told.venue.name)), faults: [] }
  })
})

/**
 * The collectors of spot markets: candles, prices per minute, facts, and the last 24 hours. Each coin uses the first
 * venue that serves (`VenueOrder`), and rows name their venue. Candles that another venue provided are requested from
 * the first one again.
 */
export const spotCollectors = (
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>],
  coins: ReadonlyArray<TrackedCoin>,
  { candleDays, facts: withFacts = true, priceDays }: SpotDays
): ReadonlyArray<Collector> => {
  const order = new VenueOrder(venues)
  const listings = new Listings(order, coins)
  const subjects = Effect.map(
    listings.listed,
    (all) => all.map(({ coin, listedAt }) => ({ subject: coin, from: listedAt }))
  )
  const parts = { order, listings, source: venues[0].name, subjects }
  return [
    candles(parts, candleDays),
    ...(venues.length > 1 ? [candlesAgain(parts, candleDays)] : []),
    prices(parts, priceDays),
    ...(withFacts ? [facts(parts)] : []),
    days(parts)
  ]
}
