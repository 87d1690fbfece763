import type { Liquidation, LiquidationSums } from "./derivative.ts"
import type { Gap, Stepped } from "./series.ts"

type Sums = { -readonly [K in keyof LiquidationSums]: LiquidationSums[K] }

/** True if one gap contains `[from, to)` completely. Gaps are disjoint, oldest first. */
const holdWhole = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from <= from && to <= gap.to)

/**
 * Makes the `steps` of a tape from totals by the start of each step. Steps without liquidations may be absent from
 * `sums`.
 *
 * @param gaps the gaps that overlap the interval, disjoint, oldest first.
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

/** Makes the `steps` of a tape from all its events, in any order. For adapters that hold all events in memory. */
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
