import {
  type CoinDerivatives,
  type Interval,
  type Liquidation,
  type LiquidationTotals,
  type MarketError,
  stepsFromSums
} from "@tapeline/core/market"
import {
  eventsKinds,
  type EventsRead,
  type MarketStore,
  marketStoreLimits,
  type Ranges,
  subtractRanges,
  type Tally
} from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { type ListedCoinNow, noDataError } from "./coins.ts"
import { venueKey } from "./documents.ts"
import { clampToLife, clampToNow, maxRecordDelayMs, type SeriesHoles, splitGaps } from "./gaps.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]
type Column = typeof eventsKinds.liquidations.columns[number]

/** The names of the venues that publish every liquidation, and not only a sample. */
export interface CompleteTapes {
  readonly completeTapes: ReadonlyArray<string>
}

interface Tape extends SeriesHoles {
  readonly venue: string
  readonly read: EventsRead<Column>
}

const intersect = (some: Ranges, others: Ranges): Ranges => subtractRanges(some, subtractRanges(some, others))

/**
 * Combines the liquidations of several venues. Only a simultaneous outage of all venues counts as a gap. If only some
 * venues have an outage, the sums of liquidations are lower bounds.
 */
const mergeTapes = (tapes: ReadonlyArray<Tape>, asked: Interval, { completeTapes }: CompleteTapes) => {
  // A venue that recorded nothing in the interval is ignored, unless no venue recorded anything.
  const recorded = tapes.filter(({ gaps }) => subtractRanges([asked], gaps).length > 0)
  const used = recorded.length === 0 ? tapes : recorded
  const gaps = used.map((tape) => tape.gaps).reduce(intersect)
  const isComplete = used.every((tape) =>
    completeTapes.includes(tape.venue) && subtractRanges(tape.gaps, gaps).length === 0
  )
  return { used, gaps, coverage: isComplete ? "whole" as const : "sampled" as const }
}

type Sums = { -readonly [K in keyof LiquidationTotals]: LiquidationTotals[K] }

const sumByStep = (tallies: ReadonlyArray<Tally<Column>>): ReadonlyMap<number, Sums> => {
  const steps = new Map<number, Sums>()
  for (const { count, label, sums, time } of tallies) {
    const step = steps.get(time) ?? { time, longUsd: 0, shortUsd: 0, count: 0 }
    steps.set(time, step)
    step.count += count
    if (label === "long") step.longUsd += sums.sizeUsd
    else step.shortUsd += sums.sizeUsd
  }
  return steps
}

const addUpSums = (sums: Iterable<LiquidationTotals>): Omit<LiquidationTotals, "time"> => {
  const total = { longUsd: 0, shortUsd: 0, count: 0 }
  for (const { count, longUsd, shortUsd } of sums) {
    total.longUsd += longUsd
    total.shortUsd += shortUsd
    total.count += count
  }
  return total
}

const toLiquidations = ({ read }: Tape): ReadonlyArray<Liquidation> =>
  read.events.flatMap(({ label, price, sizeUsd, time }) =>
    price === null || sizeUsd === null ? [] : [{ time, side: label === "long" ? "long" : "short", price, sizeUsd }]
  )

const defaultLimit = 1_000

/** Returns a function that reads a coin's liquidations from every venue that recorded any. */
export const makeLiquidationsRead = (
  store: Store,
  venues: ReadonlyArray<string>,
  completeTapes: CompleteTapes,
  findCoin: (store: Store, name: string) => Effect.Effect<ListedCoinNow, MarketError>
): CoinDerivatives["Service"]["liquidations"] =>
  Effect.fnUntraced(function*({ coin: name, limit = defaultLimit, minSizeUsd = 0, stepMs, ...query }) {
    const interval = clampToNow(query, yield* Clock.currentTimeMillis)
    const maxEvents = Math.min(limit, marketStoreLimits.maxRowsPerRead)
    const readVenue = (venue: string) =>
      withReadErrors(store.events({
        kind: eventsKinds.liquidations,
        subject: venueKey(venue, name),
        ...interval,
        limit: maxEvents,
        ...(minSizeUsd > 0 ? { minimum: { column: "sizeUsd", value: minSizeUsd } } : {}),
        ...(stepMs === undefined ? {} : { stepMs })
      }))
    const [{ coin, now }, reads] = yield* inParallel(
      findCoin(store, name),
      Effect.forEach(venues, (venue) => Effect.map(readVenue(venue), (read) => ({ venue, read })), {
        concurrency: "unbounded"
      })
    )
    const tapes = reads.filter(({ read }) => read.record !== null).map((one): Tape => ({
      ...one,
      ...splitGaps(one.read.gaps, interval, coin, now, maxRecordDelayMs)
    }))
    if (tapes.length === 0 || query.from >= (coin.delistedAt ?? Infinity)) {
      return yield* noDataError(coin, "liquidations", query)
    }
    const { coverage, gaps, used } = mergeTapes(tapes, clampToLife(interval, coin, now), completeTapes)
    const events = used.flatMap(toLiquidations).sort((a, b) => a.time - b.time)
    const newest = events.slice(Math.max(0, events.length - maxEvents))
    const sums = sumByStep(used.flatMap(({ read }) => read.tallies))
    const total = addUpSums(sums.values())
    const awaitedFrom = Math.min(now, ...used.flatMap(({ pending }) => pending.map(({ from }) => from)))
    const known = Math.max(awaitedFrom, newest.at(-1)?.time ?? query.from)
    return makeStoredReading(
      {
        events: newest,
        ...total,
        truncated: newest.length < total.count,
        steps: stepMs === undefined ? [] : stepsFromSums(sums, { ...interval, stepMs }, gaps, now),
        coverage,
        gaps
      },
      used.map(({ venue }) => venue),
      query.to <= now ? query.to : Math.min(now, known)
    )
  })
