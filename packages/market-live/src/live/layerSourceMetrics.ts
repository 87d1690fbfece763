import { Effect, Layer, Metric } from "effect"
import { SourceHealth } from "../source/index.ts"

const up = Metric.gauge("tapeline_source_up", {
  description: "1 if the latest request of this process to the source succeeded, otherwise 0"
})
const lastSuccessTime = Metric.gauge("tapeline_source_last_success_time_seconds", {
  description:
    "The time of this process's latest successful request to the source, in seconds since 1970; 0 without one"
})
const blocked = Metric.gauge("tapeline_source_blocked", {
  description: "1 if the source is not available in this region, otherwise 0"
})
const limited = Metric.gauge("tapeline_source_limited", {
  description: "1 while the source has requested a pause, otherwise 0"
})
const faults = Metric.gauge("tapeline_source_faults", {
  description: "Failed requests of this process to the source since the process started"
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
          ({ faults: byKind, lastSuccessAt, source, state }) =>
            Effect.all([
              Metric.update(Metric.withAttributes(up, { source }), state === "up" ? 1 : 0),
              Metric.update(Metric.withAttributes(lastSuccessTime, { source }), (lastSuccessAt ?? 0) / 1_000),
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
