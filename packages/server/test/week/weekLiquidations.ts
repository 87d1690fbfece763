import {
  type CoinDerivatives,
  type Gap,
  type Interval,
  type Liquidation,
  liquidationSteps,
  reading
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asOf } from "./reads.ts"

type Reads = CoinDerivatives["Service"]["liquidations"]

/** The times at which a stream is received. */
export interface Listened {
  /**
   * The intervals in which the stream is received. The seconds of the stream are counted from the start of each
   * interval.
   */
  readonly told: ReadonlyArray<Interval>
  /** The intervals in which no process received the stream. */
  readonly gaps: ReadonlyArray<Gap>
}

const secondMs = 1_000

/** Serves no liquidations after the end. */
export const liquidationsOnWire = (sim: Reads, end: number): Reads => (query) =>
  asOf((now) => Math.min(end, now))(sim(query))

const sums = (events: ReadonlyArray<Liquidation>) => {
  const of = (side: Liquidation["side"]) =>
    events.reduce((sum, event) => event.side === side ? sum + event.sizeUsd : sum, 0)
  return { longUsd: of("long"), shortUsd: of("short"), count: events.length }
}

const within = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): ReadonlyArray<Gap> =>
  gaps.flatMap((gap) =>
    gap.from < to && from < gap.to
      ? [{ from: Math.max(gap.from, from), to: Math.min(gap.to, to) }]
      : []
  )

/** Liquidations as a stream sends them: only the newest one of each second. */
export const liquidationsAsHeard = (sim: Reads, end: number, listened: () => Listened): Reads =>
  Effect.fnUntraced(function*({ coin, limit = 1_000, minSizeUsd = 0, stepMs, ...query }) {
    const { gaps, told } = listened()
    const now = yield* Clock.currentTimeMillis
    const heard = yield* Effect.forEach(
      told,
      ({ from, to }) =>
        Effect.map(asOf(() => end)(sim({ coin, from, to, limit: 1_000_000 })), ({ value }) => {
          const seconds = Map.groupBy(value.events, ({ time }) => Math.floor((time - from) / secondMs))
          return Array.from(seconds.values(), (events) => events.at(-1)!)
        })
    )
    const interval = { from: query.from, to: Math.max(query.from, Math.min(query.to, now + 1)) }
    const own = heard.flat().filter(({ sizeUsd, time }) =>
      time >= interval.from && time < interval.to && sizeUsd >= minSizeUsd
    )
    const events = own.slice(-limit)
    const lacks = within(gaps, { from: interval.from, to: Math.min(interval.to, now) })
    return reading(
      {
        events,
        ...sums(own),
        truncated: events.length < own.length,
        steps: stepMs === undefined ? [] : liquidationSteps(own, { ...interval, stepMs }, lacks, now),
        coverage: "sampled",
        gaps: lacks
      },
      "simulated",
      Math.min(query.to, now)
    )
  })
