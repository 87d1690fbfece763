import {
  type CoinDerivatives,
  type Interval,
  type Liquidation,
  type LiquidationSums,
  type MarketError,
  stepsOfSums
} from "@tapeline/core/market"
import {
  eventsKinds,
  type EventsRead,
  marketBounds,
  type MarketStore,
  type Ranges,
  type Tally,
  without
} from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { asked, both, readingOf } from "./asking.ts"
import { venueKey } from "./documents.ts"
import { type Listed, nothingOf } from "./facts.ts"
import { type Lacking, lacking, lifeIn, recordAwaitedMs, upToNow } from "./gaps.ts"

type Store = MarketStore["Service"]
type Column = typeof eventsKinds.liquidations.columns[number]

/** The venues whose tapes contain every liquidation. */
export interface WholeTapes {
  readonly wholeTapes: ReadonlyArray<string>
}

/** One venue's liquidations of an interval, and their gaps. */
interface Tape extends Lacking {
  readonly venue: string
  readonly read: EventsRead<Column>
}

/** The intervals that are in both. */
const common = (some: Ranges, others: Ranges): Ranges => without(some, without(some, others))

/**
 * Combines the tapes of several venues. Only an outage of all of them is a gap. If some venues were down, sums are
 * lower bounds, as for samples.
 */
const joined = (tapes: ReadonlyArray<Tape>, asked: Interval, { wholeTapes }: WholeTapes) => {
  // A venue that recorded nothing in the interval does not belong to its tape.
  const some = tapes.filter(({ gaps }) => without([asked], gaps).length > 0)
  const told = some.length === 0 ? tapes : some
  const gaps = told.map((tape) => tape.gaps).reduce(common)
  const isWhole = told.every((tape) => wholeTapes.includes(tape.venue) && without(tape.gaps, gaps).length === 0)
  return { told, gaps, coverage: isWhole ? "whole" as const : "sampled" as const }
}

type Sums = { -readonly [K in keyof LiquidationSums]: LiquidationSums[K] }

/** Sums the tallies of both sides, by the beginning of their step. */
const sumsOf = (tallies: ReadonlyArray<Tally<Column>>): ReadonlyMap<number, Sums> => {
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

const added = (sums: Iterable<LiquidationSums>): Omit<LiquidationSums, "time"> => {
  const total = { longUsd: 0, shortUsd: 0, count: 0 }
  for (const { count, longUsd, shortUsd } of sums) {
    total.longUsd += longUsd
    total.shortUsd += shortUsd
    total.count += count
  }
  return total
}

const eventsOf = ({ read }: Tape): ReadonlyArray<Liquidation> =>
  read.events.flatMap(({ label, price, sizeUsd, time }) =>
    price === null || sizeUsd === null ? [] : [{ time, side: label === "long" ? "long" : "short", price, sizeUsd }]
  )

const defaultLimit = 1_000

/** Reads the liquidations of a coin, from every venue that recorded any. */
export const liquidationsOf = (
  store: Store,
  venues: ReadonlyArray<string>,
  whole: WholeTapes,
  tradedCoin: (store: Store, name: string) => Effect.Effect<Listed, MarketError>
): CoinDerivatives["Service"]["liquidations"] =>
  Effect.fnUntraced(function*({ coin: name, limit = defaultLimit, minSizeUsd = 0, stepMs, ...query }) {
    const interval = upToNow(query, yield* Clock.currentTimeMillis)
    const most = Math.min(limit, marketBounds.rowsRead)
    const askOf = (venue: string) =>
      asked(store.events({
        kind: eventsKinds.liquidations,
        subject: venueKey(venue, name),
        ...interval,
        limit: most,
        ...(minSizeUsd > 0 ? { least: { column: "sizeUsd", value: minSizeUsd } } : {}),
        ...(stepMs === undefined ? {} : { stepMs })
      }))
    const [{ coin, now }, reads] = yield* both(
      tradedCoin(store, name),
      Effect.forEach(venues, (venue) => Effect.map(askOf(venue), (read) => ({ venue, read })), {
        concurrency: "unbounded"
      })
    )
    const tapes = reads.filter(({ read }) => read.record !== null).map((one): Tape => ({
      ...one,
      ...lacking(one.read.gaps, interval, coin, now, recordAwaitedMs)
    }))
    if (tapes.length === 0 || query.from >= (coin.delistedAt ?? Infinity)) {
      return yield* nothingOf(coin, "liquidations", query)
    }
    const { coverage, gaps, told } = joined(tapes, lifeIn(interval, coin, now), whole)
    const events = told.flatMap(eventsOf).sort((a, b) => a.time - b.time)
    const newest = events.slice(Math.max(0, events.length - most))
    const sums = sumsOf(told.flatMap(({ read }) => read.tallies))
    const total = added(sums.values())
    const awaitedFrom = Math.min(now, ...told.flatMap(({ awaited }) => awaited.map(({ from }) => from)))
    const known = Math.max(awaitedFrom, newest.at(-1)?.time ?? query.from)
    return readingOf(
      {
        events: newest,
        ...total,
        truncated: newest.length < total.count,
        steps: stepMs === undefined ? [] : stepsOfSums(sums, { ...interval, stepMs }, gaps, now),
        coverage,
        gaps
      },
      told.map(({ venue }) => venue),
      query.to <= now ? query.to : Math.min(now, known)
    )
  })
