import { Effect, Metric } from "effect"

/** The count of calls that ran, by tool and outcome. `ok` calls were charged; `failed` calls were not. */
const callsOf = (tool: string, outcome: "ok" | "failed") =>
  Metric.counter("tapeline_calls", {
    description: "Tool calls that ran",
    incremental: true,
    attributes: { tool, outcome }
  })

/** The durations of calls that ran, by tool. */
const durationsOf = (tool: string) =>
  Metric.histogram("tapeline_call_duration_ms", {
    description: "Duration of tool calls, milliseconds",
    boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 }),
    attributes: { tool }
  })

/** Publishes the counters of a tool before its first call. */
export const showCallCounters = (tool: string): Effect.Effect<void> =>
  Effect.all([Metric.value(callsOf(tool, "ok")), Metric.value(callsOf(tool, "failed"))], { discard: true })

/** Counts a call that ran, with its outcome and duration, and continues with `next`. */
export type Measure = <A, E>(
  outcome: "ok" | "failed",
  took_ms: number,
  next: Effect.Effect<A, E>
) => Effect.Effect<A, E>

/** Makes the metrics of one tool. Each label set has its own metric object, so that calls need not compute one. */
export const measureOf = (tool: string): Measure => {
  const counts = { ok: callsOf(tool, "ok"), failed: callsOf(tool, "failed") }
  const durations = durationsOf(tool)
  return (outcome, took_ms, next) =>
    Effect.withFiber(({ context }) => {
      counts[outcome].updateUnsafe(1, context)
      durations.updateUnsafe(took_ms, context)
      return next
    })
}
