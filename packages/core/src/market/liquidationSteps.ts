import type { Liquidation, LiquidationSums } from "./derivative.ts"
import type { Gap, Stepped } from "./series.ts"

type Sums = { -readonly [K in keyof LiquidationSums]: LiquidationSums[K] }

/** Whether gaps, oldest first and apart from one another, hold `[from, to)` whole. */
const holdWhole = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from <= from && to <= gap.to)

/**
 * The `steps` of a tape from their sums, by the step's beginning: those in which nothing happened need not be there.
 *
 * @param gaps those that touch the interval, oldest first, apart from one another.
 * @param now the present: no step begins after it.
 */
export const stepsOfSums = (
  sums: ReadonlyMap<number, LiquidationSums>,
  { from, stepMs, to }: Stepped,
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<LiquidationSums> => {
  const steps: Array<LiquidationSums> = []
  for (let time = from; time < to && time <= now; time += stepMs) {
    if (holdWhole(gaps, time, Math.min(time + stepMs, to))) continue
    steps.push(sums.get(time) ?? { time, longUsd: 0, shortUsd: 0, count: 0 })
  }
  return steps
}

/** The same from all of a tape's events, in any order: how an adapter that has them all in hand adds them up. */
export const liquidationSteps = (
  events: ReadonlyArray<Pick<Liquidation, "time" | "side" | "sizeUsd">>,
  interval: Stepped,
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<LiquidationSums> => {
  const { from, stepMs } = interval
  const steps = new Map<number, Sums>()
  for (const { sizeUsd, side, time } of events) {
    const begin = from + Math.floor((time - from) / stepMs) * stepMs
    const step = steps.get(begin) ?? { time: begin, longUsd: 0, shortUsd: 0, count: 0 }
    steps.set(begin, step)
    step.count++
    if (side === "long") step.longUsd += sizeUsd
    else step.shortUsd += sizeUsd
  }
  return stepsOfSums(steps, interval, gaps, now)
}
