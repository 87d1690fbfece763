import { assert, it } from "@effect/vitest"
import { Analyst } from "@tapeline/core/agent"
import { enrol, MemoryStores } from "@tapeline/testing"
import { cue, over, say, ScriptedModel } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { agentEngine, logOf, untilDone } from "./agentEngine.ts"

it.effect("stores the suggestions of a finished answer whose process stops before the model returns them", () => {
  const [requested, mayReturn] = [Latch.makeUnsafe(false), Latch.makeUnsafe(false)]
  const model = new ScriptedModel(() => [say("The end."), over], {
    others: () => [cue(Effect.andThen(requested.open, mayReturn.await)), say("And ETH?"), over]
  })
  return Effect.gen(function*() {
    const process = yield* Scope.make()
    const engine = yield* Layer.buildWithScope(agentEngine(model), process)
    const id = yield* Effect.gen(function*() {
      const { principal } = yield* enrol()
      const { generation } = yield* (yield* Analyst).start({ principal, request: { message: "BTC?" } })
      yield* untilDone(requested.await)
      return generation.id
    }).pipe(Effect.provideContext(engine))
    const stopping = yield* Effect.forkChild(Scope.close(process, Exit.void), { startImmediately: true })
    yield* mayReturn.open
    yield* Fiber.join(stopping)
    const { ended, events } = yield* Effect.provideContext(logOf(id), engine)
    assert.deepStrictEqual(events.at(-1), { kind: "suggest", data: { questions: ["And ETH?"] } })
    assert.isTrue(ended)
  }).pipe(Effect.provide(MemoryStores))
})
