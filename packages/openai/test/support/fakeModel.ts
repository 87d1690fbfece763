import { LanguageModel, type ModelError, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { layerOpenAiModel, type OpenAiModelOptions } from "@tapeline/openai"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { type FakeModel, type FakeResponseStep, type FakeScript, startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect, Redacted, type Scope, Stream } from "effect"

export const key = "test-key-0123456789abcdef"

export const makeFakeModel = (script: FakeScript): Effect.Effect<FakeModel, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startFakeModel({ script })),
    ({ close }) => Effect.promise(close)
  )

export const makeReplyingModel = (...acts: ReadonlyArray<FakeResponseStep>) => makeFakeModel([{ acts }])

export const layerModelAt = ({ baseUrl }: { readonly baseUrl: string }, options: Partial<OpenAiModelOptions> = {}) =>
  layerOpenAiModel({ model: "a-model", baseUrl, apiKey: Redacted.make(key), ...options })

type Options = Partial<OpenAiModelOptions>

export const collectParts = (
  server: { readonly baseUrl: string },
  request: Partial<ModelRequest> = {},
  options: Options = {}
): Effect.Effect<ReadonlyArray<ModelPart>, ModelError> =>
  Effect.flatMap(LanguageModel, ({ stream }) => Stream.runCollect(stream(makeModelRequest(request)))).pipe(
    Effect.provide(layerModelAt(server, options)),
    Effect.catchTag("InvalidOpenAiOptions", Effect.die)
  )

export const readFailureAt = (server: { readonly baseUrl: string }, options: Options = {}) =>
  Effect.orDie(Effect.flip(collectParts(server, {}, options)))

export const summarizeParts = (parts: ReadonlyArray<ModelPart>) => ({
  text: parts.map((part) => part._tag === "Text" ? part.text : "").join(""),
  reasoning: parts.map((part) => part._tag === "Reasoning" ? part.text : "").join(""),
  calls: parts.flatMap((part) => part._tag === "Call" ? [[part.name, part.arguments] as const] : []),
  end: parts.find((part) => part._tag === "End")
})
