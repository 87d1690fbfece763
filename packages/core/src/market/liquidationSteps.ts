import type { Liquidation, LiquidationTotals } from "./derivative.ts"
import type { Gap, SteppedInterval } from "./series.ts"

type MutableSums = { -readonly [K in keyof LiquidationTotals]: LiquidationTotals[K] }

const isWithinGap = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from <= from && to <= gap.to)

/**
 * Computes the `steps` of a `LiquidationTape` from the totals of each step. The keys of `sums` are the start times of
 * the steps. `sums` may omit steps without liquidations.
 *
 * @param gaps the gaps that overlap the interval, disjoint, oldest first.
 * @param now the present: no step begins after the present.
 */
export const stepsFromSums = (
  sums: ReadonlyMap<number, LiquidationTotals>,
  { from, stepMs, to }: SteppedInterval,
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<LiquidationTotals> => {
  const steps: Array<LiquidationTotals> = []
  for (let time = from; time < to && time <= now; time += stepMs) {
    if (isWithinGap(gaps, time, Math.min(time + stepMs, to))) continue
    steps.push(sums.get(time) ?? { time, longUsd: 0, shortUsd: 0, count: 0 })
  }
  return steps
}

/** Computes the `steps` of a `LiquidationTape` from all events of the interval, in any order. */
export const stepsFromEvents = (
  events: ReadonlyArray<Pick<Liquidation, "time" | "side" | "sizeUsd">>,
  interval: SteppedInterval,
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<LiquidationTotals> => {
  const { from, stepMs } = interval
  const steps = new Map<number, MutableSums>()
  for (const { sizeUsd, side, time } of events) {
    const stepStart = from + Math.floor((time - from) / stepMs) * stepMs
    const step = steps.get(stepStart) ?? { time: stepStart, longUsd: 0, shortUsd: 0, count: 0 }
    steps.set(stepStart, step)
    step.count++
    if (side === "long") step.longUsd += sizeUsd
    else step.shortUsd += sizeUsd
  }
  return stepsFromSums(steps, interval, gaps, now)
}
