import {
  type CoinDerivatives,
  type Gap,
  type Interval,
  type Liquidation,
  makeReading,
  stepsFromEvents
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { readAt } from "./shiftedClock.ts"

type ReadLiquidations = CoinDerivatives["Service"]["liquidations"]

export interface ListeningPeriods {
  /** The intervals in which a stream is received. Each interval is divided into seconds from its own start. */
  readonly covered: ReadonlyArray<Interval>
  readonly gaps: ReadonlyArray<Gap>
}

const secondMs = 1_000

export const servedLiquidations = (sim: ReadLiquidations, end: number): ReadLiquidations => (query) =>
  readAt((now) => Math.min(end, now))(sim(query))

const sums = (events: ReadonlyArray<Liquidation>) => {
  const sumSizeOf = (side: Liquidation["side"]) =>
    events.reduce((sum, event) => event.side === side ? sum + event.sizeUsd : sum, 0)
  return { longUsd: sumSizeOf("long"), shortUsd: sumSizeOf("short"), count: events.length }
}

const clipGaps = (gaps: ReadonlyArray<Gap>, { from, to }: Interval): ReadonlyArray<Gap> =>
  gaps.flatMap((gap) =>
    gap.from < to && from < gap.to
      ? [{ from: Math.max(gap.from, from), to: Math.min(gap.to, to) }]
      : []
  )

/** Returns liquidations as the stream sends them: only the newest liquidation of each second. */
export const recordedLiquidations = (
  sim: ReadLiquidations,
  end: number,
  getListeningPeriods: () => ListeningPeriods
): ReadLiquidations =>
  Effect.fnUntraced(function*({ coin, limit = 1_000, minSizeUsd = 0, stepMs, ...query }) {
    const { gaps, covered } = getListeningPeriods()
    const now = yield* Clock.currentTimeMillis
    const collected = yield* Effect.forEach(
      covered,
      ({ from, to }) =>
        Effect.map(readAt(() => end)(sim({ coin, from, to, limit: 1_000_000 })), ({ value }) => {
          const seconds = Map.groupBy(value.events, ({ time }) => Math.floor((time - from) / secondMs))
          return Array.from(seconds.values(), (events) => events.at(-1)!)
        })
    )
    const interval = { from: query.from, to: Math.max(query.from, Math.min(query.to, now + 1)) }
    const matching = collected.flat().filter(({ sizeUsd, time }) =>
      time >= interval.from && time < interval.to && sizeUsd >= minSizeUsd
    )
    const events = matching.slice(-limit)
    const missing = clipGaps(gaps, { from: interval.from, to: Math.min(interval.to, now) })
    return makeReading(
      {
        events,
        ...sums(matching),
        truncated: events.length < matching.length,
        steps: stepMs === undefined ? [] : stepsFromEvents(matching, { ...interval, stepMs }, missing, now),
        coverage: "sampled",
        gaps: missing
      },
      "simulated",
      Math.min(query.to, now)
    )
  })
