import { Effect, Metric } from "effect"

/** A counter with labels. */
export interface Counter<Labels extends Readonly<Record<string, string>>> {
  readonly add: (labels: Labels, count?: number) => Effect.Effect<void>
  /** Is there from now on, with 0 until something is counted: what has not begun can be told from what is not there. */
  readonly show: (labels: Labels) => Effect.Effect<void>
}

/** A counter that only grows, one for each set of labels. */
export const counterOf = <Labels extends Readonly<Record<string, string>>>(
  name: string,
  description: string
): Counter<Labels> => {
  const counter = Metric.counter(name, { description, incremental: true })
  return {
    add: (labels, count = 1) => Metric.update(Metric.withAttributes(counter, labels), count),
    show: (labels) => Effect.asVoid(Metric.value(Metric.withAttributes(counter, labels)))
  }
}
