import { assert, it } from "@effect/vitest"
import { Analyst, type GenerationFailpoint, GenerationFailpoints } from "@tapeline/core/agent"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart, waitForCue } from "@tapeline/testing/agent/ScriptedModel"
import { Deferred, Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { advanceUntilDone, makeAgentEngine, readGenerationLog } from "./agentEngine.ts"

it.effect("stores the suggestions of a finished answer whose process stops before the model returns them", () => {
  const [requested, mayReturn] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]
  const model = new ScriptedModel(() => [textPart("The end."), endPart], {
    getOtherActs: () => [waitForCue(Effect.andThen(requested.open, mayReturn.await)), textPart("And ETH?"), endPart]
  })
  return Effect.gen(function*() {
    const process = yield* Scope.make()
    const engine = yield* Layer.buildWithScope(makeAgentEngine(model), process)
    const id = yield* Effect.gen(function*() {
      const { principal } = yield* createKeyedAccount()
      const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "BTC?" } })
      yield* advanceUntilDone(requested.await)
      return generation.id
    }).pipe(Effect.provideContext(engine))
    const stopping = yield* Effect.forkChild(Scope.close(process, Exit.void), { startImmediately: true })
    yield* mayReturn.open
    yield* Fiber.join(stopping)
    const { isEnded, events } = yield* Effect.provideContext(readGenerationLog(id), engine)
    assert.deepStrictEqual(events.at(-1), { kind: "suggest", data: { questions: ["And ETH?"] } })
    assert.isTrue(isEnded)
  }).pipe(Effect.provide(MemoryStores))
})

/** Stores that stop at a failpoint: they complete `reached`, and then wait until `goOn` is done. */
const stopAt = (point: GenerationFailpoint) => {
  const [reached, goOn] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const stop = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
  const hook = Layer.succeed(GenerationFailpoints, (at: GenerationFailpoint) => at === point ? stop : Effect.void)
  return { reached, goOn, stores: Layer.provide(Layer.fresh(MemoryStores), hook) }
}

/** A process that begins to stop when its answer reaches the failpoint. */
const stoppingAt = Effect.fnUntraced(function*(reached: Deferred.Deferred<void>) {
  const model = new ScriptedModel(() => [textPart("The end."), endPart], {
    getOtherActs: () => [textPart("And ETH?"), endPart]
  })
  const process = yield* Scope.make()
  const engine = yield* Layer.buildWithScope(makeAgentEngine(model), process)
  const id = yield* Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "BTC?" } })
    yield* advanceUntilDone(Deferred.await(reached))
    return generation.id
  }).pipe(Effect.provideContext(engine))
  const stopping = yield* Effect.forkChild(Scope.close(process, Exit.void), { startImmediately: true })
  return { stopping, log: Effect.provideContext(readGenerationLog(id), engine) }
})

it.effect("stores the suggestions of an answer whose process stops while the end of the answer is being stored", () => {
  const { goOn, reached, stores } = stopAt("after:end")
  return Effect.gen(function*() {
    const { log, stopping } = yield* stoppingAt(reached)
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(stopping)
    const { events } = yield* log
    assert.deepStrictEqual(events.at(-1), { kind: "suggest", data: { questions: ["And ETH?"] } })
  }).pipe(Effect.provide(stores))
})

it.effect.each(
  [
    { what: "the end of an answer", point: "before:end" },
    { what: "the suggestions of a finished answer", point: "before:close" }
  ] as const
)("stops within 5 s if the store does not respond while it stores $what", ({ point }) => {
  const { reached, stores } = stopAt(point)
  return Effect.gen(function*() {
    const { stopping } = yield* stoppingAt(reached)
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(stopping.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stopping)
  }).pipe(Effect.provide(stores))
})
