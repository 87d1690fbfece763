import { implement, layerAgent, layerEngine, PublicBaseUrl, specify, Toolbox, ToolFailure } from "@tapeline/core"
import { Analyst, type Answer, type GenerationEvent, GenerationLog, layerFibreRunner } from "@tapeline/core/agent"
import { noArguments, type PlanTable, type Principal } from "@tapeline/core/engine"
import { MemoryStores } from "@tapeline/testing"
import { readWholeLog } from "@tapeline/testing/agent/fixtures"
import type { ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { Context, Effect, Exit, Fiber, Latch, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"

export class ToolRecorder {
  readonly calls: Array<string> = []
  readonly writes: Array<string> = []
  /** The tool `slow` waits until this latch is open. */
  readonly slowLatch = Latch.makeUnsafe(false)
}

const makeSpecification = <const Name extends string>(
  name: Name,
  credits: 1 | 20,
  scope: "read:market" | "read:personal" | "write:personal"
) =>
  specify({
    name,
    area: "crypto",
    scope,
    credits,
    summary: `Is ${name}.`,
    parameters: Schema.Struct({ coin: Schema.optionalKey(Schema.String) }),
    result: Schema.Struct({ value: Schema.Finite, url: Schema.optionalKey(Schema.String) }),
    example: {}
  })

const makeTools = (recorder: ToolRecorder) => {
  const makeTool = (
    name: string,
    credits: 1 | 20,
    scope: "read:market" | "read:personal" | "write:personal",
    act: (callId: string) => Effect.Effect<{ value: number; url?: string }, ToolFailure>
  ) =>
    implement(
      makeSpecification(name, credits, scope),
      Effect.succeed((_args, { callId }) =>
        Effect.suspend(() => {
          recorder.calls.push(name)
          return act(callId)
        })
      )
    )
  return [
    makeTool("price", 1, "read:market", () => Effect.succeed({ value: 42 })),
    makeTool("dear", 20, "read:market", () => Effect.succeed({ value: 1 })),
    makeTool("slow", 1, "read:market", () => Effect.as(recorder.slowLatch.await, { value: 7 })),
    makeTool(
      "failing",
      1,
      "read:market",
      () => Effect.fail(new ToolFailure({ code: "no_data", callerMessage: "nothing there", retryable: false }))
    ),
    makeTool("interrupted", 1, "read:market", () => Effect.interrupt),
    makeTool("broken", 1, "read:market", () => Effect.die(new Error("bug"))),
    makeTool("mine", 1, "read:personal", () => Effect.succeed({ value: 3 })),
    makeTool(
      "make_chart",
      1,
      "read:market",
      () => Effect.map(PublicBaseUrl, (address) => ({ value: 1, url: `${address}/v1/charts/9` }))
    ),
    makeTool("write_it", 1, "write:personal", (callId) => {
      recorder.writes.push(callId)
      return Effect.succeed({ value: 1 })
    }),
    implement(
      specify({
        name: "long",
        area: "crypto",
        scope: "read:market",
        credits: 1,
        summary: "Says a lot.",
        parameters: noArguments,
        result: Schema.Struct({ rows: Schema.Array(Schema.Struct({ n: Schema.Int, text: Schema.String })) }),
        example: {}
      }),
      Effect.succeed(() =>
        Effect.succeed({ rows: Array.from({ length: 2_000 }, (_, n) => ({ n, text: "가격 \"quoted\" 🚀" })) })
      )
    )
  ]
}

/** An engine with an analyst, in memory, whose stores may be shared with another engine. */
export const makeAgentEngine = (
  model: ScriptedModel,
  options: {
    readonly recorder?: ToolRecorder
    readonly toolbox?: Layer.Layer<Toolbox>
    readonly bounds?: Layer.Layer<never>
    readonly plans?: PlanTable
  } = {}
) =>
  layerAgent({ runner: layerFibreRunner }).pipe(
    Layer.provideMerge(
      layerEngine({
        toolbox: options.toolbox ?? Toolbox.layer(makeTools(options.recorder ?? new ToolRecorder())),
        ...(options.plans === undefined ? {} : { plans: options.plans })
      })
    ),
    Layer.provide(model.layer),
    Layer.provide(options.bounds ?? Layer.succeedContext(Context.empty()))
  )

export const makeEngineWithStores = (...args: Parameters<typeof makeAgentEngine>) =>
  makeAgentEngine(...args).pipe(Layer.provideMerge(MemoryStores))

export const advanceUntilDone = <A, E, R>(work: Effect.Effect<A, E, R>, stepMs = 100) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(work)
    for (let i = 0; i < 6_000 && fiber.pollUnsafe() === undefined; i++) yield* TestClock.adjust(stepMs)
    const exit = fiber.pollUnsafe()
    if (exit === undefined) {
      yield* Fiber.interrupt(fiber)
      return yield* Effect.die(new Error("it does not come to an end"))
    }
    return yield* Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.failCause(exit.cause)
  })

export const askQuestion = Effect.fnUntraced(function*(principal: Principal, request: object, idempotencyKey?: string) {
  const analyst = yield* Analyst
  const options = idempotencyKey === undefined ? {} : { idempotencyKey }
  const { answer } = yield* advanceUntilDone(analyst.answer({ principal, request, ...options }))
  return answer satisfies Answer
})

export const readGenerationLog = Effect.fnUntraced(function*(generation: number) {
  const { isEnded, events } = yield* readWholeLog(yield* GenerationLog, generation)
  return {
    isEnded,
    logged: events,
    events: events.map(({ data, kind }): GenerationEvent => ({ kind, data: JSON.parse(data) }))
  }
})
