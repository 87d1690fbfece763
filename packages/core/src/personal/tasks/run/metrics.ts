import { Effect, Metric } from "effect"
import { makeCounter } from "../../../engine/metrics/counter.ts"
import type { Firing } from "../firing.ts"
import { FiringOutcome } from "../task.ts"

const kinds = ["schedule", "watch"] as const

const firings = makeCounter<{ readonly kind: typeof kinds[number]; readonly outcome: FiringOutcome }>(
  "tapeline_task_firings",
  "Task firings that ended in this process, by kind and outcome"
)
const evaluatedWatches = makeCounter<{}>("tapeline_task_watches_judged", "Evaluations of watches")
const sweepLag = Metric.gauge("tapeline_task_sweep_lag_ms", {
  description: "Delay from the end of a minute to its evaluation, milliseconds"
})
const sweepDuration = Metric.histogram("tapeline_task_sweep_duration_ms", {
  description: "Duration of one evaluation of all watches, milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 16 })
})

/**
 * Registers the counters of tasks and the durations of sweeps, so that they are exported from the start. The lag has no
 * value before the first sweep.
 */
export const initialiseTaskMetrics: Effect.Effect<void> = Effect.all([
  evaluatedWatches.publish({}),
  Metric.value(sweepDuration),
  ...kinds.flatMap((kind) => FiringOutcome.literals.map((outcome) => firings.publish({ kind, outcome })))
], { discard: true })

export const countFiring = ({ due }: Firing, outcome: FiringOutcome): Effect.Effect<void> =>
  firings.add({ kind: due.startsWith("at:") ? "schedule" : "watch", outcome })

/**
 * Records the number of a sweep's watches, the sweep's duration and its lag. `lagMs` is the time between the end of the
 * last evaluated minute and the sweep.
 */
export const countSweep = (watches: number, lagMs: number, tookMs: number): Effect.Effect<void> =>
  Effect.all(
    [evaluatedWatches.add({}, watches), Metric.update(sweepLag, lagMs), Metric.update(sweepDuration, tookMs)],
    { discard: true }
  )
