import { LanguageModel, type ModelError, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { Effect, Layer, Stream } from "effect"

/** The next act of a scripted model: emits a part, waits for a cue, or fails. */
export type Act =
  | ModelPart
  | { readonly _tag: "Cue"; readonly wait: Effect.Effect<unknown> }
  | { readonly _tag: "Break"; readonly error: ModelError }

export const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 } as const

export const say = (text: string): Act => ({ _tag: "Text", text })
export const think = (text: string): Act => ({ _tag: "Reasoning", text })
export const call = (name: string, args: object | string = {}): Act => ({
  _tag: "Call",
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})
export const over: Act = { _tag: "End", reason: "Stop", usage }
export const cue = (wait: Effect.Effect<unknown>): Act => ({ _tag: "Cue", wait })
export const hang: Act = cue(Effect.never)
export const breakOff = (error: ModelError): Act => ({ _tag: "Break", error })

/** A model that plays a script and records its requests. */
export class ScriptedModel {
  /** Every request, in order. */
  readonly asked: Array<ModelRequest> = []
  /** The number of open streams, and of streams whose reader stopped early. */
  open = 0
  aborted = 0
  /** The number of emitted parts. */
  given = 0
  readonly layer: Layer.Layer<LanguageModel>

  /**
   * `play` returns the acts for a request of purpose `answer`; `number` counts these requests from 0. `others` answers
   * requests for suggestions and summaries, by default with one line each.
   */
  constructor(
    play: (request: ModelRequest, number: number) => ReadonlyArray<Act>,
    options: {
      readonly contextTokens?: number
      readonly readsImages?: boolean
      readonly others?: (request: ModelRequest) => ReadonlyArray<Act>
    } = {}
  ) {
    const others = options.others ?? (({ purpose }) => [say(purpose === "suggest" ? "And ETH?" : "They spoke."), over])
    let number = 0
    const actsOf = (request: ModelRequest) => request.purpose === "answer" ? play(request, number++) : others(request)
    this.layer = Layer.succeed(LanguageModel, {
      name: "scripted",
      contextTokens: options.contextTokens ?? 128_000,
      readsImages: options.readsImages ?? true,
      stream: (request) => Stream.suspend(() => this.#play(request, actsOf(request)))
    })
  }

  #play(request: ModelRequest, acts: ReadonlyArray<Act>): Stream.Stream<ModelPart, ModelError> {
    this.asked.push(request)
    this.open += 1
    let finished = false
    const close = Effect.sync(() => {
      this.open -= 1
      if (!finished) this.aborted += 1
    })
    return Stream.fromIterable(acts).pipe(
      Stream.mapEffect((act): Effect.Effect<ReadonlyArray<ModelPart>, ModelError> => {
        switch (act._tag) {
          case "Cue":
            return Effect.as(act.wait, [])
          case "Break":
            finished = true
            return Effect.fail(act.error)
          default:
            return Effect.sync(() => {
              this.given += 1
              if (act._tag === "End") finished = true
              return [act]
            })
        }
      }),
      Stream.flatMap((parts) => Stream.fromIterable(parts)),
      Stream.ensuring(close)
    )
  }
}
