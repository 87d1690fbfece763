import { assert, it } from "@effect/vitest"
import { layerOpenAiEmbeddings, layerOpenAiModel } from "@tapeline/openai"
import { Effect, Layer, Metric, Redacted } from "effect"

it.effect("publish a cost of 0 for each model with prices before its first request", () =>
  Effect.gen(function*() {
    const apiKey = Redacted.make("unused")
    yield* Layer.build(Layer.mergeAll(
      layerOpenAiModel({ apiKey, model: "priced", prices: { inputUsd: 2, outputUsd: 10 } }),
      layerOpenAiEmbeddings({ apiKey, model: "text-embedding-3-small", prices: { inputUsd: 1 } })
    ))
    yield* Layer.build(layerOpenAiModel({ apiKey, model: "without-prices" }))
    const costs = (yield* Metric.snapshot).filter(({ id }) => id === "tapeline_model_cost_usd")
    assert.sameDeepMembers(
      costs.map(({ attributes, state }) => [attributes?.["gen_ai.request.model"], "count" in state && state.count]),
      [["priced", 0], ["text-embedding-3-small", 0]]
    )
  }).pipe(Effect.provide(Layer.succeed(Metric.MetricRegistry, new Map()))))
