import { LanguageModel, type ModelPart } from "@tapeline/core/agent"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerOpenAiModel } from "@tapeline/openai"
import { type FakeReply, type FakeResponseStep, startFakeModel } from "@tapeline/testing/fakeModel"
import { Context, Effect, Layer, Semaphore, Stream } from "effect"
import { type ChatBody, estimateTokens, measureParts, type PartName, PromptCache } from "./requestParts.ts"

/** The estimated tokens of each request for a step of an answer. */
export class SentParts extends Context.Service<SentParts, Array<Readonly<Record<PartName, number>>>>()(
  "@tapeline/evaluation/SentParts"
) {
  static readonly layer = Layer.sync(SentParts, () => [])
}

const toStep = (part: ModelPart): ReadonlyArray<FakeResponseStep> => {
  switch (part._tag) {
    case "Text":
      return [{ text: part.text }]
    case "Reasoning":
      return [{ reasoning: part.text }]
    case "Call":
      return [{ call: part.name, arguments: part.arguments }]
    case "End":
      return []
  }
}

const describeWritten = (part: ModelPart): string =>
  part._tag === "End" ? "" : part._tag === "Call" ? part.name + part.arguments : part.text

/** Reports usage as a provider with a prompt cache would. */
const makeUsage = (body: ChatBody, parts: ReadonlyArray<ModelPart>, cache: PromptCache): FakeResponseStep => {
  const input = estimateTokens(JSON.stringify(body["tools"] ?? []) + JSON.stringify(body["messages"] ?? []))
  const output = estimateTokens(parts.map(describeWritten).join(""))
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: Math.min(input, cache.read(body)) }
    }
  }
}

/**
 * A model behind a simulated server of Chat Completions. The server answers as the offline analyst does, so the adapter
 * sends the requests that it would send to a real model. The server runs one request at a time.
 */
export const layerReplayedAnalyst: Layer.Layer<LanguageModel, never, SentParts> = Layer.effect(
  LanguageModel,
  Effect.gen(function*() {
    const analyst = yield* LanguageModel
    const sentParts = yield* SentParts
    const cache = new PromptCache()
    const turn = yield* Semaphore.make(1)
    let parts: ReadonlyArray<ModelPart> = []
    const reply = (body: ChatBody): FakeReply => {
      if (body["tools"] !== undefined) sentParts.push(measureParts(body))
      return { acts: [...parts.flatMap(toStep), makeUsage(body, parts, cache)] }
    }
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startFakeModel({ script: ({ body }) => reply(body ?? {}) })),
      ({ close }) => Effect.promise(close)
    )
    const context = yield* Layer.build(layerOpenAiModel({ model: "offline-analyst", baseUrl: server.baseUrl }))
    const model = Context.get(context, LanguageModel)
    return {
      ...model,
      stream: (request) =>
        Stream.unwrap(Effect.gen(function*() {
          yield* turn.takeScoped(1)
          parts = yield* Stream.runCollect(analyst.stream(request))
          return model.stream(request)
        }))
    }
  })
).pipe(Layer.orDie, Layer.provide(OfflineAnalyst))
