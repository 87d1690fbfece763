import type { LanguageModel } from "@tapeline/core/agent"
import type { Embeddings } from "@tapeline/core/news"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import type { InvalidOpenAiOptions } from "@tapeline/openai"
import { Effect, Layer } from "effect"
import type { Settings } from "./settings.ts"

/** The client is loaded only where it is used. */
const loadOpenAi = Effect.promise(() => import("@tapeline/openai"))

/** The language model that is configured, or else the one that needs none. */
export const layerLanguageModel = <E, R>(
  { openAi }: Pick<Settings, "openAi">,
  offline: Layer.Layer<LanguageModel, E, R>
): Layer.Layer<LanguageModel, E | InvalidOpenAiOptions, R> =>
  openAi === undefined
    ? offline
    : Layer.unwrap(Effect.map(loadOpenAi, ({ layerOpenAiModel }) => layerOpenAiModel(openAi.model)))

/** The embeddings that are configured, or else those by rule. */
export const layerEmbeddings = (
  { openAi }: Pick<Settings, "openAi">
): Layer.Layer<Embeddings, InvalidOpenAiOptions> => {
  const options = openAi?.embeddings
  return options === undefined
    ? LocalEmbeddings
    : Layer.unwrap(Effect.map(loadOpenAi, ({ layerOpenAiEmbeddings }) => layerOpenAiEmbeddings(options)))
}
