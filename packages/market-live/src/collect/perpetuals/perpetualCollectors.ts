/** Collectors of perpetuals: records, payments and taker flow, each from the first venue that serves. */
import { dayMs, hourMs, type Interval, type SourceUnavailable } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { askedAgain, askedFirst } from "../askedAgain.ts"
import type { Collector, SeriesCollector, Subject } from "../collector.ts"
import { VenueOrder } from "../VenueOrder.ts"
import {
  fineMs,
  type FlowRow,
  lateMs,
  type PerpetualRow,
  type PerpetualVenue,
  type ToldRows
} from "./PerpetualVenue.ts"

/** Statistics reach back 30 days. Some hours remain for late requests. */
const statisticsDays = 29.5

interface Parts {
  readonly order: VenueOrder<PerpetualVenue>
  /** The first venue's lead is used for all venues. */
  readonly source: string
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  readonly wantedMs: number
}

/** Requests a coin's series from the venue on duty. Returns no rows if no venue has it. */
const askOf = <R>(
  { order, source }: Parts,
  series: string,
  of: (venue: PerpetualVenue) => (
    coin: string,
    interval: Interval
  ) => Effect.Effect<ToldRows<R> | null, SourceUnavailable>
) =>
(coin: string, interval: Interval) =>
  Effect.map(
    order.ask(`${series}:${coin}`, (venue) => of(venue)(coin, interval)),
    (told) => told === null ? { source, rows: [], until: interval.from } : { source: told.venue.name, ...told.value }
  )

const records = (parts: Parts): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "perpetuals",
  kind: pointsKinds.perpetuals,
  everyMs: fineMs,
  offsetMs: 3_000,
  rowsAre: "instants",
  subjects: parts.subjects,
  snapshot: {
    lateMs,
    between: true,
    ask: (names, at) =>
      Effect.map(parts.order.ask("records", (venue) => venue.present(names, at)), (told) =>
        told === null
          ? []
          : Array.from(told.value, ([subject, row]) => ({ subject, source: told.venue.name, rows: [row] })))
  },
  ...askedFirst(parts.order),
  backfill: {
    reachesBackMs: statisticsDays * dayMs,
    wantedMs: parts.wantedMs,
    longestMs: 480 * fineMs,
    delayMs: 3 * fineMs,
    ask: askOf(parts, "past", ({ past }) => past)
  }
})

const payments = (parts: Parts): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "fundingPrints",
  kind: pointsKinds.fundingPrints,
  everyMs: hourMs,
  offsetMs: 65_000,
  rowsAre: "instants",
  subjects: parts.subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: 365 * dayMs,
    longestMs: 30 * dayMs,
    ask: askOf(parts, "payments", (venue) => venue.payments)
  }
})

const flow = (parts: Parts): SeriesCollector => ({
  _tag: "series",
  source: parts.source,
  name: "takerFlow",
  kind: pointsKinds.takerFlow,
  everyMs: fineMs,
  offsetMs: 4_000,
  rowsAre: "buckets",
  subjects: parts.subjects,
  ...askedFirst(parts.order),
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: parts.wantedMs,
    longestMs: 1_000 * fineMs,
    ask: askOf(parts, "flow", (venue) => venue.flow)
  }
})

const subjectsOf = (listed: ReadonlyMap<string, number>): ReadonlyArray<Subject> =>
  Array.from(listed, ([subject, from]) => ({ subject, from }))

/** Requests from the first venue the parts of a series that other venues provided. */
const again = (
  series: SeriesCollector,
  { source }: Parts,
  first: PerpetualVenue,
  ask: (coin: string, interval: Interval) => Effect.Effect<ToldRows<PerpetualRow | FlowRow> | null, SourceUnavailable>
): SeriesCollector =>
  askedAgain(series, {
    venue: source,
    listed: Effect.map(first.listed, subjectsOf),
    ask: (coin, interval) =>
      Effect.map(
        ask(coin, interval),
        (told) => told === null ? { source, rows: [], until: interval.from } : { source, ...told }
      )
  })

/**
 * The collectors of perpetuals. Rows name their venue, and all are written under the first venue's lead. Records and
 * flow that another venue provided are requested from the first one again. Only the first venue has open interest, and
 * its flow has another size. Payments have different times on each venue, and are not requested again.
 */
export const perpetualCollectors = (
  venues: readonly [PerpetualVenue, ...ReadonlyArray<PerpetualVenue>],
  { derivativeDays }: { readonly derivativeDays: number }
): ReadonlyArray<Collector> => {
  const order = new VenueOrder(venues)
  // Sources cache their lists for a while.
  const subjects = Effect.map(
    order.ask("listed", ({ listed }) => listed),
    (told) => subjectsOf(told?.value ?? new Map<string, number>())
  )
  const parts = { order, source: venues[0].name, subjects, wantedMs: derivativeDays * dayMs }
  const own = [records(parts), payments(parts), flow(parts)]
  if (venues.length === 1) return own
  const [first] = venues
  return [...own, again(records(parts), parts, first, first.past), again(flow(parts), parts, first, first.flow)]
}
