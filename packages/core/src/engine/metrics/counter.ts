import { Effect, Metric } from "effect"

export interface LabelledCounter<Labels extends Readonly<Record<string, string>>> {
  readonly add: (labels: Labels, count?: number) => Effect.Effect<void>
  /** Publishes the counter with the value 0, so that monitoring can distinguish 0 from a missing counter. */
  readonly publish: (labels: Labels) => Effect.Effect<void>
}

/** Creates a counter that only grows. Each set of labels has its own value. */
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
