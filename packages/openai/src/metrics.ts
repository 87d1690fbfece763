import type { ModelError, Usage } from "@tapeline/core/agent"
import { Effect, Metric } from "effect"
import type { Prices } from "./options.ts"

/** Makes the metric labels of OpenTelemetry's semantic conventions for generative AI. */
const makeLabels = (operation: string, model: string) => ({
  "gen_ai.operation.name": operation,
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": model
})

const tokenHistogram = (operation: string, model: string, type: "input" | "output") =>
  Metric.histogram("gen_ai.client.token.usage", {
    description: "Tokens of requests to language models",
    boundaries: Metric.exponentialBoundaries({ start: 1, factor: 4, count: 14 }),
    attributes: { ...makeLabels(operation, model), "gen_ai.token.type": type }
  })

const durationHistogram = (operation: string, model: string, error: string | undefined) =>
  Metric.histogram("gen_ai.client.operation.duration", {
    description: "Duration of requests to language models, seconds",
    boundaries: Metric.exponentialBoundaries({ start: 0.01, factor: 2, count: 14 }),
    attributes: { ...makeLabels(operation, model), ...(error === undefined ? {} : { "error.type": error }) }
  })

const costCounter = (model: string) =>
  Metric.counter("tapeline_model_cost_usd", {
    description: "Cost of requests to language models at the configured prices, USD",
    incremental: true,
    attributes: { "gen_ai.request.model": model }
  })

/** Publishes the cost of a model with prices as 0, so that the cost of its first request is visible as an increase. */
export const publishCost = (model: string, prices: Partial<Prices> | undefined): Effect.Effect<void> =>
  prices?.inputUsd === undefined ? Effect.void : Effect.asVoid(Metric.value(costCounter(model)))

export const computeCostUsd = (usage: Usage, { cachedInputUsd, inputUsd, outputUsd }: Prices): number =>
  ((usage.inputTokens - usage.cachedTokens) * inputUsd + usage.cachedTokens * (cachedInputUsd ?? inputUsd) +
    usage.outputTokens * outputUsd) / 1e6

export interface RequestOutcome {
  readonly seconds: number
  readonly usage: Usage | null
  readonly failed: ModelError["_tag"] | "interrupted" | undefined
}

export const recordRequest = Effect.fnUntraced(function*(
  operation: "chat" | "embeddings",
  model: string,
  prices: Prices | undefined,
  { failed, seconds, usage }: RequestOutcome
) {
  yield* Metric.update(durationHistogram(operation, model, failed), seconds)
  if (usage === null) return
  yield* Metric.update(tokenHistogram(operation, model, "input"), usage.inputTokens)
  if (operation === "chat") yield* Metric.update(tokenHistogram(operation, model, "output"), usage.outputTokens)
  const cost = prices === undefined ? undefined : computeCostUsd(usage, prices)
  if (cost !== undefined) yield* Metric.update(costCounter(model), cost)
  yield* Effect.annotateCurrentSpan({
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens,
    ...(cost === undefined ? {} : { "tapeline.cost_usd": cost })
  })
})
