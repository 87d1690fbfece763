import { Effect, Metric } from "effect"

/** Returns the counter of a tool's calls that ran. Charged calls (`ok`) and `failed` calls are counted separately. */
const callCounter = (tool: string, outcome: "ok" | "failed") =>
  Metric.counter("tapeline_calls", {
    description: "Executed tool calls",
    incremental: true,
    attributes: { tool, outcome }
  })

const durationHistogram = (tool: string) =>
  Metric.histogram("tapeline_call_duration_ms", {
    description: "Duration of tool calls, milliseconds",
    boundaries: Metric.exponentialBoundaries({ start: 1, factor: 2, count: 15 }),
    attributes: { tool }
  })

/** Publishes the call counters of a tool, so that they exist before the first call. */
export const publishCallCounters = (tool: string): Effect.Effect<void> =>
  Effect.all([Metric.value(callCounter(tool, "ok")), Metric.value(callCounter(tool, "failed"))], { discard: true })

export type CountCall = <A, E>(
  outcome: "ok" | "failed",
  took_ms: number,
  next: Effect.Effect<A, E>
) => Effect.Effect<A, E>

/** Creates the metrics of one tool. Each outcome has its own metric object, so a call need not look up the metric. */
export const makeCountCall = (tool: string): CountCall => {
  const counts = { ok: callCounter(tool, "ok"), failed: callCounter(tool, "failed") }
  const durations = durationHistogram(tool)
  return (outcome, took_ms, next) =>
    Effect.withFiber(({ context }) => {
      counts[outcome].updateUnsafe(1, context)
      durations.updateUnsafe(took_ms, context)
      return next
    })
}
