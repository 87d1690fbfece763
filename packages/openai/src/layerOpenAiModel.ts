import { LanguageModel, type ModelError, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { Cause, Clock, Effect, Exit, Layer, Stream } from "effect"
import { publishCost, recordRequest, type RequestOutcome } from "./metrics.ts"
import { type InvalidOpenAiOptions, isOpenAiUrl, type OpenAiModelOptions } from "./options.ts"
import { streamAnswer } from "./streamAnswer.ts"
import { makeProvider, type Provider } from "./wire/client.ts"

/** Returns the reason why a stream ended without its last part, or undefined if the stream succeeded. */
const readFailure = (exit: Exit.Exit<unknown, unknown>): RequestOutcome["failed"] => {
  if (Exit.isSuccess(exit)) return undefined
  const failReason = exit.cause.reasons.find(Cause.isFailReason)
  // The cast is safe because the stream fails only with a `ModelError`.
  return failReason === undefined ? "interrupted" : (failReason.error as ModelError)._tag
}

const streamMeasured = (
  provider: Provider,
  options: OpenAiModelOptions,
  request: ModelRequest
): Stream.Stream<ModelPart, ModelError> =>
  Stream.unwrap(Effect.gen(function*() {
    const startedAt = yield* Clock.currentTimeMillis
    let usage: RequestOutcome["usage"] = null
    return streamAnswer(provider, options, request).pipe(
      Stream.tap((part) => {
        if (part._tag !== "End") return Effect.void
        usage = part.usage
        return Effect.annotateCurrentSpan("gen_ai.response.finish_reasons", [part.reason])
      }),
      Stream.onExit((exit) =>
        Effect.gen(function*() {
          const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1_000
          const failed = readFailure(exit)
          if (failed !== undefined) yield* Effect.annotateCurrentSpan("error.type", failed)
          yield* recordRequest("chat", options.model, options.prices, { failed, seconds, usage })
        })
      )
    )
  })).pipe(
    Stream.withSpan(`chat ${options.model}`, {
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": options.model,
        "gen_ai.request.max_tokens": request.maxOutputTokens,
        "server.address": provider.address.host,
        "server.port": provider.address.port,
        "tapeline.purpose": request.purpose,
        "tapeline.step": request.step
      }
    })
  )

/** Provides `LanguageModel` for OpenAI's own service and the compatible servers that `docs/models.md` describes. */
export const layerOpenAiModel = (
  options: OpenAiModelOptions
): Layer.Layer<LanguageModel, InvalidOpenAiOptions> =>
  Layer.effect(
    LanguageModel,
    Effect.map(Effect.tap(makeProvider(options), publishCost(options.model, options.prices)), (provider) => {
      const api = options.api ?? (isOpenAiUrl(options.baseUrl) ? "responses" : "chat")
      return {
        name: options.model,
        contextTokens: options.contextTokens ?? 128_000,
        readsImages: options.readsImages ?? true,
        stream: (request) => streamMeasured(provider, { ...options, api }, request)
      }
    })
  )
