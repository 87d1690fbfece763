import { dayMs, type Interval, maxPriceAgeMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { SeriesCollector } from "../collect/collector.ts"
import { isLasting } from "../source/failover.ts"
import { sourceTimeOf } from "../source/index.ts"
import { krwMarketKey } from "../stored/documents.ts"
import {
  type CollectedExchange,
  fetchPastKrwPrices,
  fiveMinutesMs,
  maxDelayMs,
  maxIntervalMs
} from "./CollectedExchange.ts"
import { type ForeignPrices, plausibleForeignPrice } from "./ForeignPriceSource.ts"
import { readKnownListings } from "./listingsCollector.ts"

/** The maximum time to wait for a source that may recover, before the missing data is recorded as null. */
const maxWaitMs = 10 * minuteMs

/**
 * Returns a function that replaces the result of an unavailable source by null, so that the other data is recorded. A
 * permanent failure becomes null immediately. Any other failure becomes null only if the outage has lasted for
 * `maxWaitMs` and the data is not much older than the outage.
 */
export const makeOutageTolerance = () => {
  let outageSince: number | null = null
  return <A>(read: Effect.Effect<A, SourceUnavailable>, dataTime: number): Effect.Effect<A | null, SourceUnavailable> =>
    Effect.matchEffect(read, {
      onSuccess: (value) =>
        Effect.sync(() => {
          outageSince = null
          return value
        }),
      onFailure: (error) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          // If the clock was set back, the outage begins at the current time.
          const since = Math.min(outageSince ?? now, now)
          outageSince = since
          const isLongOutage = now - since >= maxWaitMs && dataTime >= since - maxWaitMs
          return isLasting(error) || isLongOutage ? Effect.succeed(null) : Effect.fail(error)
        })
    })
}

const kind = pointsKinds.krwMarkets
type Row = PointRow<keyof typeof kind.columns>

/**
 * Returns the source name of rows: the exchange, and also the foreign venue if at least one row has a foreign price.
 */
const sourceOf = (
  exchange: string,
  abroad: ForeignPrices<unknown> | null,
  coin: string,
  rows: ReadonlyArray<Row>
): string =>
  abroad === null || coin === "USDT" || rows.every(({ usdtPrice }) => usdtPrice === null)
    ? exchange
    : `${exchange}+${abroad.source}`

const coinOf = (subject: string): string => subject.slice(subject.indexOf(":") + 1)

interface TolerantExchange extends CollectedExchange {
  readonly tolerateOutage: ReturnType<typeof makeOutageTolerance>
}

const fetchCurrentRows = Effect.fnUntraced(
  function*(venue: TolerantExchange, subjects: ReadonlyArray<string>, at: number) {
    const [answer, abroad] = yield* Effect.all(
      [venue.source.tickers(subjects.map(coinOf)), venue.tolerateOutage(venue.foreignPrices.current, at)],
      { concurrency: 2 }
    )
    // A wrong clock, local or at the source, must not move a price to another time.
    if (Math.abs(sourceTimeOf(answer) - at) > maxDelayMs) return []
    return answer.value.flatMap(({ coin, krwPrice, time, volume24hKrw }) => {
      if (time > at + maxDelayMs) return []
      const isRecent = time > at - maxPriceAgeMs
      const usdtPrice = plausibleForeignPrice(coin, krwPrice, abroad?.prices.get(coin))
      // A market without a recent trade is recorded without a price.
      const rows = isRecent ? [{ time: at, krwPrice, usdtPrice, change24hPct: null, volume24hKrw }] : []
      return [{
        subject: krwMarketKey(venue.exchange, coin),
        source: sourceOf(venue.exchange, abroad, coin, rows),
        rows
      }]
    })
  }
)

const fetchPastRows = Effect.fnUntraced(function*(venue: TolerantExchange, subject: string, interval: Interval) {
  const coin = coinOf(subject)
  const [{ prices, until }, abroad] = yield* Effect.all(
    [
      fetchPastKrwPrices(venue.source, coin, interval),
      venue.tolerateOutage(venue.foreignPrices.past(coin, interval), interval.from)
    ],
    { concurrency: 2 }
  )
  const rows = prices.map(({ price, time }): Row => ({
    time,
    krwPrice: price,
    usdtPrice: plausibleForeignPrice(coin, price, abroad?.prices.get(time)),
    change24hPct: null,
    // The exchange reports 24-hour volume only for the current time.
    volume24hKrw: null
  }))
  return { source: sourceOf(venue.exchange, abroad, coin, rows), rows, until }
})

const makeSeries = (venue: TolerantExchange): SeriesCollector => ({
  _tag: "series",
  source: venue.exchange,
  name: "krwMarkets",
  kind,
  everyMs: fiveMinutesMs,
  offsetMs: 2_000,
  rowTimes: "instants",
  subjects: Effect.gen(function*() {
    const { value: markets } = yield* venue.source.markets
    const listings = yield* readKnownListings(venue)
    return markets.map(({ coin }) => ({
      subject: krwMarketKey(venue.exchange, coin),
      from: listings.get(coin)?.listedAt ?? 0
    }))
  }),
  snapshot: { maxDelayMs, fetch: (subjects, at) => fetchCurrentRows(venue, subjects, at) },
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: venue.backfillDays * dayMs,
    maxIntervalMs,
    fetch: (subject, interval) => fetchPastRows(venue, subject, interval)
  }
})

/**
 * Returns the collector of an exchange's won prices, with foreign prices of the same coins if a venue provides them.
 */
export const makeKrwMarketsCollector = (venue: CollectedExchange): SeriesCollector =>
  makeSeries({ ...venue, tolerateOutage: makeOutageTolerance() })
