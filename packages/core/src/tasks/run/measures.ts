import { Effect, Metric } from "effect"
import type { Firing } from "../firing.ts"
import type { FiringOutcome } from "../task.ts"

const firings = Metric.counter("tapeline_task_firings", {
  description: "Firings of tasks that ended here, by kind and outcome",
  incremental: true
})
const judged = Metric.counter("tapeline_task_watches_judged", {
  description: "Watches that were judged by closed minutes",
  incremental: true
})
const lag = Metric.gauge("tapeline_task_sweep_lag_ms", {
  description: "How long after its end the last minute was judged, milliseconds"
})
const duration = Metric.histogram("tapeline_task_sweep_duration_ms", {
  description: "How long it took to judge all watches, milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 16 })
})

/** Counts a firing that ended. */
export const countFiring = ({ due }: Firing, outcome: FiringOutcome): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(firings, { kind: due.startsWith("at:") ? "schedule" : "watch", outcome }), 1)

/** Counts a sweep over watches that judged minutes up to one that ended so long ago. */
export const countSweep = (watches: number, lagMs: number, tookMs: number): Effect.Effect<void> =>
  Effect.all([Metric.update(judged, watches), Metric.update(lag, lagMs), Metric.update(duration, tookMs)], {
    discard: true
  })
