import { Effect, Metric } from "effect"

/** Calls that ran, by tool and outcome: `ok` was charged, `failed` was not. */
const calls = Metric.counter("tapeline_calls", { description: "Tool calls that ran", incremental: true })

/** How long calls took that ran, by tool. */
const durations = Metric.histogram("tapeline_call_duration_ms", {
  description: "Duration of tool calls, milliseconds",
  boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 })
})

/** Counts a call that ran, by what it came to. */
export type Measure = (outcome: "ok" | "failed", took_ms: number) => Effect.Effect<void>

/** The measures of one tool. Their labels are made here, once. */
export const measureOf = (tool: string): Measure => {
  const counts = {
    ok: Metric.withAttributes(calls, { tool, outcome: "ok" }),
    failed: Metric.withAttributes(calls, { tool, outcome: "failed" })
  }
  const duration = Metric.withAttributes(durations, { tool })
  return (outcome, took_ms) => Effect.andThen(Metric.update(counts[outcome], 1), Metric.update(duration, took_ms))
}
