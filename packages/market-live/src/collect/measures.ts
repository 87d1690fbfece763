import { Effect, Metric } from "effect"

const lag = Metric.gauge("tapeline_collect_lag_ms", {
  description:
    "How long ago the record of a series collected here ends, of its subject that is furthest behind, milliseconds: " +
    "while nothing of it was ever told, since when it is collected here; it goes on while the store is away, and is 0 " +
    "once another process collects it"
})
const missing = Metric.gauge("tapeline_collect_missing_ms", {
  description: "What is still to be filled of all subjects together, of series collected here, milliseconds"
})
const rows = Metric.counter("tapeline_collect_rows", {
  description: "Rows that were added or changed by what was collected here",
  incremental: true
})
const faults = Metric.counter("tapeline_collect_faults", {
  description: "Questions of collectors that failed here, by the kind of failure",
  incremental: true
})

/** The source and name of a series. */
export interface Collected {
  readonly source: string
  readonly name: string
}

const labelled = ({ name, source }: Collected) => ({ source, series: name })

export const countRows = (collected: Collected, changed: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(rows, labelled(collected)), changed)

export const countFault = (collected: Collected, failure: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(faults, { ...labelled(collected), failure }), 1)

export const tellLag = (
  collected: Collected,
  { lagMs, missingMs }: { readonly lagMs: number; readonly missingMs: number }
): Effect.Effect<void> => {
  const labels = labelled(collected)
  return Effect.andThen(
    Metric.update(Metric.withAttributes(lag, labels), lagMs),
    Metric.update(Metric.withAttributes(missing, labels), missingMs)
  )
}
