import { Effect, Metric } from "effect"

/** Calls that ran, by tool and outcome: `ok` was charged, `failed` was not. */
const calls = Metric.counter("tapeline_calls", { description: "Tool calls that ran", incremental: true })

/** How long calls took that ran, by tool. */
const durations = Metric.histogram("tapeline_call_duration_ms", {
  description: "Duration of tool calls, milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 })
})

/** Counts a call that ran. */
export const measure = (tool: string, outcome: "ok" | "failed", took_ms: number): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(calls, { tool, outcome }), 1),
    Metric.update(Metric.withAttributes(durations, { tool }), took_ms)
  )
