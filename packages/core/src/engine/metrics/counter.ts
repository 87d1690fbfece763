import { Effect, Metric } from "effect"

export interface LabelledCounter<Labels extends Readonly<Record<string, string>>> {
  readonly add: (labels: Labels, count?: number) => Effect.Effect<void>
  /** Publishes the counter with 0 before anything is counted, so that a counter at 0 differs from a missing counter. */
  readonly publish: (labels: Labels) => Effect.Effect<void>
}

/** Creates a counter that only grows, with a separate value for each set of labels. */
export const makeCounter = <Labels extends Readonly<Record<string, string>>>(
  name: string,
  description: string
): LabelledCounter<Labels> => {
  const counter = Metric.counter(name, { description, incremental: true })
  return {
    add: (labels, count = 1) => Metric.update(Metric.withAttributes(counter, labels), count),
    publish: (labels) => Effect.asVoid(Metric.value(Metric.withAttributes(counter, labels)))
  }
}
