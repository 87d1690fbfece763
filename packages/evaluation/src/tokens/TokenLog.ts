import { LanguageModel, type ModelRequest, type Usage } from "@tapeline/core/agent"
import { Context, Effect, Layer, Stream } from "effect"

/** One finished request to a model. `usage` is null if the provider reported none. */
export interface LoggedRequest {
  /** Equal for all requests of one question, and different for different questions. */
  readonly question: string
  readonly usage: Usage | null
}

/** The finished requests of an evaluation, in the order in which they ended. */
export class TokenLog extends Context.Service<TokenLog, Array<LoggedRequest>>()("@tapeline/evaluation/TokenLog") {
  static readonly layer = Layer.sync(TokenLog, () => [])
}

const identifyQuestion = ({ brief: { earlier, lang, question } }: ModelRequest): string =>
  JSON.stringify([lang, ...earlier.map((turn) => turn.question), question])

/** Logs the requests to a model. A request that fails is not logged, because no provider reports its usage. */
export const logTokens = <E, R>(layer: Layer.Layer<LanguageModel, E, R>): Layer.Layer<LanguageModel, E, R | TokenLog> =>
  Layer.effect(
    LanguageModel,
    Effect.gen(function*() {
      const model = yield* LanguageModel
      const log = yield* TokenLog
      return {
        ...model,
        stream: (request) =>
          Stream.tap(model.stream(request), (part) =>
            Effect.sync(() => {
              if (part._tag === "End") log.push({ question: identifyQuestion(request), usage: part.usage })
            }))
      }
    })
  ).pipe(Layer.provide(layer))
