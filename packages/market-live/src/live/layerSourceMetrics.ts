import { Effect, Layer, Metric } from "effect"
import { SourceHealth } from "../source/index.ts"

const up = Metric.gauge("tapeline_source_up", {
  description: "Whether the newest answer of a source that is asked here was one: 1, else 0"
})
const blocked = Metric.gauge("tapeline_source_blocked", {
  description: "Whether a source does not serve this place: 1, else 0"
})
const limited = Metric.gauge("tapeline_source_limited", {
  description: "Whether a source told us to wait, and is not asked until then: 1, else 0"
})
const faults = Metric.gauge("tapeline_source_faults", {
  description: "Questions to a source that failed here since the start: of one that is away they go on"
})

const publishInterval = "15 seconds"

/** Publishes the state of each used source as metrics, until the layer's scope closes. */
export const layerSourceMetrics: Layer.Layer<never, never, SourceHealth> = Layer.effectDiscard(
  Effect.gen(function*() {
    const { states } = yield* SourceHealth
    const publish = Effect.flatMap(
      states,
      (all) =>
        Effect.forEach(
          all.filter(({ state }) => state !== "unknown"),
          ({ faults: byKind, source, state }) =>
            Effect.all([
              Metric.update(Metric.withAttributes(up, { source }), state === "up" ? 1 : 0),
              Metric.update(Metric.withAttributes(blocked, { source }), state === "blocked" ? 1 : 0),
              Metric.update(Metric.withAttributes(limited, { source }), state === "limited" ? 1 : 0),
              Metric.update(Metric.withAttributes(faults, { source }), Object.values(byKind).reduce((a, b) => a + b, 0))
            ]),
          { discard: true }
        )
    )
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(publish, Effect.sleep(publishInterval))))
  })
)
