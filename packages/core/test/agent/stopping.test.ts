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

/** Stores that complete `isReached` at a failpoint, and wait there until `mayContinue` is done. */
const stopAt = (point: GenerationFailpoint) => {
  const [isReached, mayContinue] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
  const stop = Effect.andThen(Deferred.succeed(isReached, undefined), Deferred.await(mayContinue))
  const layerFailpoint = Layer.succeed(
    GenerationFailpoints,
    (at: GenerationFailpoint) => at === point ? stop : Effect.void
  )
  return { isReached, mayContinue, stores: Layer.provide(Layer.fresh(MemoryStores), layerFailpoint) }
}

/** A process that begins to stop when its answer reaches the failpoint. */
const stoppingAt = Effect.fnUntraced(function*(isReached: Deferred.Deferred<void>) {
  const model = new ScriptedModel(() => [textPart("The end."), endPart], {
    getOtherActs: () => [textPart("And ETH?"), endPart]
  })
  const process = yield* Scope.make()
  const engine = yield* Layer.buildWithScope(makeAgentEngine(model), process)
  const id = yield* Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "BTC?" } })
    yield* advanceUntilDone(Deferred.await(isReached))
    return generation.id
  }).pipe(Effect.provideContext(engine))
  const stopping = yield* Effect.forkChild(Scope.close(process, Exit.void), { startImmediately: true })
  return { stopping, log: Effect.provideContext(readGenerationLog(id), engine) }
})

it.effect("stores the suggestions of an answer whose process stops while the end of the answer is being stored", () => {
  const { mayContinue, isReached, stores } = stopAt("after:end")
  return Effect.gen(function*() {
    const { log, stopping } = yield* stoppingAt(isReached)
    yield* Deferred.succeed(mayContinue, undefined)
    yield* Fiber.join(stopping)
    const { events } = yield* log
    assert.deepStrictEqual(events.at(-1), { kind: "suggest", data: { questions: ["And ETH?"] } })
  }).pipe(Effect.provide(stores))
})

it.effect.each(
  [
    { operation: "the end of an answer", point: "before:end" },
    { operation: "the suggestions of a finished answer", point: "before:close" }
  ] as const
)("stops within 5 s if the store does not respond while it stores $operation", ({ point }) => {
  const { isReached, stores } = stopAt(point)
  return Effect.gen(function*() {
    const { stopping } = yield* stoppingAt(isReached)
    yield* TestClock.adjust("4 seconds")
    assert.isUndefined(stopping.pollUnsafe())
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(stopping)
  }).pipe(Effect.provide(stores))
})
