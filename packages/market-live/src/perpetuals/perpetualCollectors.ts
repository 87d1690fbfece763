import { dayMs, hourMs, type Interval, type SourceUnavailable } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Collector, SeriesCollector, Subject } from "../collect/collector.ts"
import { makePreferredVenueCollector, trackPreferredVenue } from "../collect/preferredVenueCollector.ts"
import { VenueFailover } from "../collect/VenueFailover.ts"
import {
  fiveMinutesMs,
  maxDelayMs,
  type PerpetualRow,
  type PerpetualVenue,
  type RowsResponse,
  type TakerFlowRow
} from "./PerpetualVenue.ts"

/** The maximum age of requested statistics, in days, because venues keep statistics for 30 days. */
const statisticsDays = 29.5

interface CollectorContext {
  readonly failover: VenueFailover<PerpetualVenue>
  /** The preferred venue, whose leader also collects from the other venues. */
  readonly source: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  readonly lookbackMs: number
}

/**
 * Returns a function that fetches a coin's series from the active venue. The returned function returns no rows if no
 * venue has the series.
 */
const makeFetch = <R>(
  { failover, source }: CollectorContext,
  series: string,
  select: (venue: PerpetualVenue) => (
    coin: string,
    interval: Interval
  ) => Effect.Effect<RowsResponse<R> | null, SourceUnavailable>
) =>
(coin: string, interval: Interval) =>
  Effect.map(
    failover.request(`${series}:${coin}`, (venue) => select(venue)(coin, interval)),
    (result) =>
      result === null ? { source, rows: [], until: interval.from } : { source: result.venue.name, ...result.value }
  )

const makeRecordsCollector = (context: CollectorContext): SeriesCollector => ({
  _tag: "series",
  source: context.source,
  name: "perpetuals",
  kind: pointsKinds.perpetuals,
  everyMs: fiveMinutesMs,
  offsetMs: 3_000,
  rowTimes: "instants",
  subjects: context.subjects,
  snapshot: {
    maxDelayMs,
    betweenInstants: true,
    fetch: (names, at) =>
      Effect.map(context.failover.request("records", (venue) => venue.snapshot(names, at)), (result) =>
        result === null
          ? []
          : Array.from(result.value, ([subject, row]) => ({ subject, source: result.venue.name, rows: [row] })))
  },
  ...trackPreferredVenue(context.failover),
  backfill: {
    sourceRetentionMs: statisticsDays * dayMs,
    lookbackMs: context.lookbackMs,
    maxIntervalMs: 480 * fiveMinutesMs,
    delayMs: 3 * fiveMinutesMs,
    fetch: makeFetch(context, "past", ({ history }) => history)
  }
})

const makePaymentsCollector = (context: CollectorContext): SeriesCollector => ({
  _tag: "series",
  source: context.source,
  name: "fundingPrints",
  kind: pointsKinds.fundingPrints,
  everyMs: hourMs,
  offsetMs: 65_000,
  rowTimes: "instants",
  subjects: context.subjects,
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: 365 * dayMs,
    maxIntervalMs: 30 * dayMs,
    fetch: makeFetch(context, "payments", (venue) => venue.fundingPayments)
  }
})

const makeTakerFlowCollector = (context: CollectorContext): SeriesCollector => ({
  _tag: "series",
  source: context.source,
  name: "takerFlow",
  kind: pointsKinds.takerFlow,
  everyMs: fiveMinutesMs,
  offsetMs: 4_000,
  rowTimes: "buckets",
  subjects: context.subjects,
  ...trackPreferredVenue(context.failover),
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: context.lookbackMs,
    maxIntervalMs: 1_000 * fiveMinutesMs,
    fetch: makeFetch(context, "flow", (venue) => venue.takerFlow)
  }
})

const subjectsOf = (listed: ReadonlyMap<string, number>): ReadonlyArray<Subject> =>
  Array.from(listed, ([subject, from]) => ({ subject, from }))

/** Returns a collector that requests from the preferred venue the data which other venues provided. */
const makePreferredCollector = (
  series: SeriesCollector,
  { source }: CollectorContext,
  first: PerpetualVenue,
  fetch: (
    coin: string,
    interval: Interval
  ) => Effect.Effect<RowsResponse<PerpetualRow | TakerFlowRow> | null, SourceUnavailable>
): SeriesCollector =>
  makePreferredVenueCollector(series, {
    venue: source,
    listedSubjects: Effect.map(first.listings, subjectsOf),
    fetch: (coin, interval) =>
      Effect.map(
        fetch(coin, interval),
        (response) => response === null ? { source, rows: [], until: interval.from } : { source, ...response }
      )
  })

/**
 * Returns the collectors of perpetuals. Records and taker flow of other venues are later replaced by data of the
 * preferred venue. Funding payments are not replaced, because payment times differ between venues.
 */
export const perpetualCollectors = (
  venues: readonly [PerpetualVenue, ...ReadonlyArray<PerpetualVenue>],
  { derivativeDays }: { readonly derivativeDays: number }
): ReadonlyArray<Collector> => {
  const failover = new VenueFailover(venues)
  // Each collector may request the list of subjects, because the sources cache the list.
  const subjects = Effect.map(
    failover.request("listed", ({ listings }) => listings),
    (result) => subjectsOf(result?.value ?? new Map<string, number>())
  )
  const context = { failover, source: venues[0].name, subjects, lookbackMs: derivativeDays * dayMs }
  const collectors = [makeRecordsCollector(context), makePaymentsCollector(context), makeTakerFlowCollector(context)]
  if (venues.length === 1) return collectors
  const [first] = venues
  return [
    ...collectors,
    makePreferredCollector(makeRecordsCollector(context), context, first, first.history),
    makePreferredCollector(makeTakerFlowCollector(context), context, first, first.takerFlow)
  ]
}
