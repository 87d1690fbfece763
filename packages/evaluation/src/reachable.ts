import { LanguageModel, type ModelError } from "@tapeline/core/agent"
import { requestOf } from "@tapeline/testing/agent/requestOf"
import { Effect, Stream } from "effect"

/** The smallest possible request. */
const request = requestOf({
  purpose: "summary",
  instructions: "Answer with the word ok.",
  turns: [{ _tag: "User", text: "ok?", images: [] }],
  tools: [],
  maxOutputTokens: 16
})

/** Describes a model's error for the operator. */
const told = (error: ModelError): string => {
  switch (error._tag) {
    case "ModelRateLimited":
      return "the provider wants fewer requests"
    case "ModelTimeout":
      return `nothing came for ${error.waitedMs} ms`
    default:
      return error.detail
  }
}

/**
 * Sends one small request before hundreds of questions. Returns the reason if the model does not respond, otherwise
 * null.
 */
export const unreachable: Effect.Effect<string | null, never, LanguageModel> = Effect.gen(function*() {
  const model = yield* LanguageModel
  return yield* Stream.runDrain(model.stream(request)).pipe(
    Effect.as(null),
    Effect.catch((error) => Effect.succeed(`${model.name} cannot be asked: ${told(error)}`))
  )
})
