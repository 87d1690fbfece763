import { Effect, Metric } from "effect"

/** Calls that ran, by tool and outcome: `ok` was charged, `failed` was not. */
const callsOf = (tool: string, outcome: "ok" | "failed") =>
  Metric.counter("tapeline_calls", {
    description: "Tool calls that ran",
    incremental: true,
    attributes: { tool, outcome }
  })

/** How long calls took that ran, by tool. */
const durationsOf = (tool: string) =>
  Metric.histogram("tapeline_call_duration_ms", {
    description: "Duration of tool calls, milliseconds",
    boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 }),
    attributes: { tool }
  })

/** The counters of a tool's calls, from the start on. */
export const showCallCounters = (tool: string): Effect.Effect<void> =>
  Effect.all([Metric.value(callsOf(tool, "ok")), Metric.value(callsOf(tool, "failed"))], { discard: true })

/** Counts a call that ran, by what it came to, and goes on with `next`. */
export type Measure = <A, E>(
  outcome: "ok" | "failed",
  took_ms: number,
  next: Effect.Effect<A, E>
) => Effect.Effect<A, E>

/** The measures of one tool. Each label has a metric of its own, so that no call computes one. */
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
