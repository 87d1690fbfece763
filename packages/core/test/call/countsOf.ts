import { Effect, Metric } from "effect"

/**
 * Returns the number of a tool's calls by outcome. The counters cover the whole process, so tests compare differences.
 */
export const countsOf = (tool: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const counts = { ok: 0, failed: 0 }
    for (const metric of metrics) {
      if (metric.id !== "tapeline_calls" || metric.attributes?.["tool"] !== tool || metric.type !== "Counter") continue
      counts[metric.attributes["outcome"] === "ok" ? "ok" : "failed"] += Number(metric.state.count)
    }
    return counts
  })
