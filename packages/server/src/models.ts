import { AnswerBounds, type LanguageModel } from "@tapeline/core/agent"
import type { Embeddings } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import type { InvalidOpenAiOptions, ProviderOptions } from "@tapeline/openai"
import { Effect, Layer } from "effect"
import { loadProxyConnections } from "./proxy/layerProxies.ts"
import type { OutboundProxySettings } from "./proxy/proxySettings.ts"
import type { Settings } from "./settings.ts"

interface ModelProviderSettings extends Pick<Settings, "openAi"> {
  readonly outgoingProxies?: OutboundProxySettings | undefined
}

const loadOpenAi = Effect.promise(() => import("@tapeline/openai"))

const withProxies = <O extends ProviderOptions>(
  options: O,
  proxies: OutboundProxySettings | undefined
): Effect.Effect<O> =>
  proxies === undefined
    ? Effect.succeed(options)
    : Effect.map(
      loadProxyConnections,
      ({ makeProxyDispatcher }) => ({ ...options, makeDispatcher: makeProxyDispatcher(proxies) })
    )

/** The configured language model, or `offline` if no language model is configured. */
export const layerLanguageModel = <E, R>(
  { openAi, outgoingProxies }: ModelProviderSettings,
  offline: Layer.Layer<LanguageModel, E, R>
): Layer.Layer<LanguageModel, E | InvalidOpenAiOptions, R> =>
  openAi === undefined
    ? offline
    : Layer.unwrap(Effect.gen(function*() {
      const { layerOpenAiModel } = yield* loadOpenAi
      return layerOpenAiModel(yield* withProxies(openAi.model, outgoingProxies))
    }))

/**
 * Provides the limits of the analyst's answers. The configuration can set the maximum time for which the language model
 * may send no data.
 */
export const layerAnswerBounds = ({ openAi }: Pick<Settings, "openAi">): Layer.Layer<never> => {
  const silenceMs = openAi?.silenceMs
  return silenceMs === undefined
    ? Layer.empty
    : Layer.effect(AnswerBounds, Effect.map(AnswerBounds, (bounds) => ({ ...bounds, silenceMs })))
}

/** The configured embeddings, or the local rule-based embeddings. */
export const layerEmbeddings = ({
  openAi,
  outgoingProxies
}: ModelProviderSettings): Layer.Layer<Embeddings, InvalidOpenAiOptions> => {
  const options = openAi?.embeddings
  return options === undefined
    ? LocalEmbeddings
    : Layer.unwrap(Effect.gen(function*() {
      const { layerOpenAiEmbeddings } = yield* loadOpenAi
      return layerOpenAiEmbeddings(yield* withProxies(options, outgoingProxies))
    }))
}
