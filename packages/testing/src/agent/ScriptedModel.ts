import { LanguageModel, type ModelError, type ModelPart, type ModelRequest } from "@tapeline/core/agent"
import { Effect, Layer, Stream } from "effect"

/** An action of a scripted language model: emit a part, wait for a cue, or fail. */
export type ScriptedAct =
  | ModelPart
  | { readonly _tag: "Cue"; readonly wait: Effect.Effect<unknown> }
  | { readonly _tag: "Break"; readonly error: ModelError }

export const usage = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 } as const

export const textPart = (text: string): ScriptedAct => ({ _tag: "Text", text })
export const reasoningPart = (text: string): ScriptedAct => ({ _tag: "Reasoning", text })
export const callPart = (name: string, args: object | string = {}): ScriptedAct => ({
  _tag: "Call",
  name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})
export const endPart: ScriptedAct = { _tag: "End", reason: "Stop", usage }
export const waitForCue = (wait: Effect.Effect<unknown>): ScriptedAct => ({ _tag: "Cue", wait })
export const waitForever: ScriptedAct = waitForCue(Effect.never)
export const failWith = (error: ModelError): ScriptedAct => ({ _tag: "Break", error })

/** A language model for tests, which plays a script and records its requests. */
export class ScriptedModel {
  readonly requests: Array<ModelRequest> = []
  openStreams = 0
  abortedStreams = 0
  emittedParts = 0
  readonly layer: Layer.Layer<LanguageModel>

  /**
   * Creates a scripted model. `getActs` receives the number of the `answer` request, starting at 0. By default, the
   * model replies to requests for suggestions and summaries with one line.
   */
  constructor(
    getActs: (request: ModelRequest, number: number) => ReadonlyArray<ScriptedAct>,
    options: {
      readonly contextTokens?: number
      readonly readsImages?: boolean
      readonly disclaimer?: LanguageModel["Service"]["disclaimer"]
      readonly getOtherActs?: (request: ModelRequest) => ReadonlyArray<ScriptedAct>
    } = {}
  ) {
    const others = options.getOtherActs ??
      (({ purpose }) => [textPart(purpose === "suggest" ? "And ETH?" : "They spoke."), endPart])
    let number = 0
    const selectActs = (request: ModelRequest) =>
      request.purpose === "answer" ? getActs(request, number++) : others(request)
    this.layer = Layer.succeed(LanguageModel, {
      name: "scripted",
      contextTokens: options.contextTokens ?? 128_000,
      readsImages: options.readsImages ?? true,
      ...(options.disclaimer === undefined ? {} : { disclaimer: options.disclaimer }),
      stream: (request) => Stream.suspend(() => this.#playActs(request, selectActs(request)))
    })
  }

  #playActs(request: ModelRequest, acts: ReadonlyArray<ScriptedAct>): Stream.Stream<ModelPart, ModelError> {
    this.requests.push(request)
    this.openStreams += 1
    let finished = false
    const closeStream = Effect.sync(() => {
      this.openStreams -= 1
      if (!finished) this.abortedStreams += 1
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
              this.emittedParts += 1
              if (act._tag === "End") finished = true
              return [act]
            })
        }
      }),
      Stream.flatMap((parts) => Stream.fromIterable(parts)),
      Stream.ensuring(closeStream)
    )
  }
}
