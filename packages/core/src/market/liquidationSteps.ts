import type { Liquidation, LiquidationSums } from "./derivative.ts"
import type { Gap, Stepped } from "./series.ts"

type Sums = { -readonly [K in keyof LiquidationSums]: LiquidationSums[K] }

/** Whether gaps, oldest first and apart from one another, hold `[from, to)` whole. */
const holdWhole = (gaps: ReadonlyArray<Gap>, from: number, to: number): boolean =>
  gaps.some((gap) => gap.from <= from && to <= gap.to)

/**
 * The `steps` of a tape from all of its events: how an adapter that has them all in hand adds them up.
 *
 * @param events those of the interval, whatever their order.
 * @param gaps those that touch it, oldest first, apart from one another.
 * @param now the present: no step begins after it.
 */
export const liquidationSteps = (
  events: ReadonlyArray<Pick<Liquidation, "time" | "side" | "sizeUsd">>,
  { from, stepMs, to }: Stepped,
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<LiquidationSums> => {
  const steps: Array<Sums> = []
  for (let time = from; time < to && time <= now; time += stepMs) {
    steps.push({ time, longUsd: 0, shortUsd: 0, count: 0 })
  }
  for (const { sizeUsd, side, time } of events) {
    const step = steps[Math.floor((time - from) / stepMs)]
    if (step === undefined) continue
    step.count++
    if (side === "long") step.longUsd += sizeUsd
    else step.shortUsd += sizeUsd
  }
  return steps.filter(({ time }) => !holdWhole(gaps, time, Math.min(time + stepMs, to)))
}
