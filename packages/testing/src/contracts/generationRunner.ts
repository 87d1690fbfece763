import { assert, layer as withLayer } from "@effect/vitest"
import { layerEngine, Toolbox } from "@tapeline/core"
import {
  AgentTiming,
  type Generation,
  type GenerationExecutor,
  GenerationLog,
  GenerationRunner,
  GenerationStore,
  layerGenerationExecutor
} from "@tapeline/core/agent"
import type { AdminStore, RateLimitStore } from "@tapeline/core/engine"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { type AgentStores, makeEnd, newAccount, startNewGeneration, takeGeneration } from "../agent/fixtures.ts"
import { endPart, ScriptedModel, textPart, waitForCue } from "../agent/ScriptedModel.ts"

type Stores = AgentStores | AdminStore | RateLimitStore

/**
 * A language model that a test controls. The model signals that it was called, waits, and signals an interruption by
 * its caller.
 */
class ControlledAnswer {
  requestCount = 0
  readonly hasBegun = Deferred.makeUnsafe<void>()
  readonly mayContinue = Deferred.makeUnsafe<void>()
  readonly wasInterrupted = Deferred.makeUnsafe<void>()
  readonly wait = Effect.andThen(Deferred.succeed(this.hasBegun, undefined), Deferred.await(this.mayContinue)).pipe(
    Effect.onInterrupt(() => Deferred.succeed(this.wasInterrupted, undefined))
  )
}

class ControlledAnswers
  extends Context.Service<ControlledAnswers, { readonly getAnswer: (question: string) => ControlledAnswer }>()(
    "@tapeline/testing/contracts/generationRunner/ControlledAnswers"
  )
{}

const neverMs = 3_600_000

/** Disables sweeps and periodic searches. Without sweeps, a runner reads a generation only after a notification. */
const layerTiming = Layer.effect(
  AgentTiming,
  Effect.map(
    AgentTiming,
    (defaults) => ({
      ...defaults,
      staleMs: 0,
      renewIntervalMs: neverMs,
      searchIntervalMs: neverMs,
      sweepIntervalMs: neverMs
    })
  )
)

const layerControlledModel = Layer.effectContext(
  Effect.sync(() => {
    const answers = new Map<string, ControlledAnswer>()
    const getAnswer = (question: string) => {
      const answer = answers.get(question) ?? new ControlledAnswer()
      answers.set(question, answer)
      return answer
    }
    const model = new ScriptedModel(({ turns }) => {
      const lastTurn = turns.findLast((turn) => turn._tag === "User")
      const answer = getAnswer(lastTurn?._tag === "User" ? lastTurn.text : "")
      answer.requestCount++
      return [waitForCue(answer.wait), textPart("because"), endPart]
    })
    return { model, getAnswer }
  }).pipe(
    Effect.flatMap(({ getAnswer, model }) =>
      Effect.map(Layer.build(model.layer), Context.add(ControlledAnswers, { getAnswer }))
    )
  )
)

let questionCount = 0

const startControlledGeneration = Effect.gen(function*() {
  const text = `question ${++questionCount}`
  const { id } = yield* startNewGeneration(yield* newAccount, {
    question: {
      role: "user",
      content: text,
      lang: "en",
      charts: [],
      tools: [],
      suggestions: [],
      images: [],
      outcome: null
    }
  })
  return { id, answer: (yield* ControlledAnswers).getAnswer(text) }
})

const awaitClosed = (id: number): Effect.Effect<Generation, unknown, GenerationStore | GenerationLog> =>
  Effect.scoped(Effect.gen(function*() {
    const [store, log] = yield* Effect.all([GenerationStore, GenerationLog])
    const { awaitNotification } = yield* log.listen(id)
    for (;;) {
      const row = yield* store.find(id)
      if (row?.state === "closed") return row
      yield* awaitNotification
    }
  }))

const testRunsOnce = Effect.gen(function*() {
  const { wake } = yield* GenerationRunner
  const { id, answer } = yield* startControlledGeneration
  yield* Effect.forEach([1, 2, 3, 4], () => wake(id), { concurrency: "unbounded" })
  yield* Deferred.await(answer.hasBegun)
  yield* wake(id)
  yield* Deferred.succeed(answer.mayContinue, undefined)
  const row = yield* awaitClosed(id)
  assert.deepStrictEqual([row.outcome, row.epoch, answer.requestCount], ["finished", 1, 1])
  yield* wake(id)
  yield* wake(2_000_000_000)
  const next = yield* startControlledGeneration
  yield* Deferred.succeed(next.answer.mayContinue, undefined)
  yield* wake(next.id)
  yield* awaitClosed(next.id)
  assert.strictEqual(answer.requestCount, 1)
})

const testHalt = Effect.gen(function*() {
  const [{ halt, wake }, store] = yield* Effect.all([GenerationRunner, GenerationStore])
  const { id, answer } = yield* startControlledGeneration
  yield* wake(id)
  yield* Deferred.await(answer.hasBegun)
  // Halting has no effect on a generation that a runner still holds.
  yield* halt(id)
  const endResult = yield* store.forceEnd(
    id,
    ({ generation }) => makeEnd(generation.conversation, { outcome: "cancelled" })
  )
  assert.strictEqual(endResult?.outcome, "cancelled")
  yield* halt(id)
  yield* Deferred.await(answer.wasInterrupted)
  assert.strictEqual(answer.requestCount, 1)
  yield* halt(2_000_000_000)
})

const testAbandoned = Effect.gen(function*() {
  const { wake } = yield* GenerationRunner
  const { id, answer } = yield* startControlledGeneration
  yield* takeGeneration(id)
  yield* Deferred.succeed(answer.mayContinue, undefined)
  yield* wake(id)
  const row = yield* awaitClosed(id)
  assert.deepStrictEqual([row.outcome, row.epoch, answer.requestCount], ["finished", 2, 1])
})

const testRunnerShutdown = <E, R>(runner: Layer.Layer<GenerationRunner, E, R>) =>
  Effect.gen(function*() {
    const [{ wake }, store] = yield* Effect.all([GenerationRunner, GenerationStore])
    const { id, answer } = yield* startControlledGeneration
    const scope = yield* Scope.make()
    const other = yield* Layer.buildWithScope(Layer.fresh(runner), scope)
    yield* Context.get(other, GenerationRunner).wake(id)
    yield* Deferred.await(answer.hasBegun)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual((yield* store.find(id))?.state, "running")
    yield* Deferred.succeed(answer.mayContinue, undefined)
    yield* wake(id)
    const row = yield* awaitClosed(id)
    // Each runner that took the generation called the language model once, and a runner may also forward a generation.
    assert.deepStrictEqual([row.outcome, answer.requestCount], ["finished", row.epoch])
  })

/** Defines the contract tests of `GenerationRunner`. The tests use the real clock. */
export const generationRunnerContract = <R, E, E2>(
  name: string,
  stores: Layer.Layer<Stores | R, E>,
  runner: Layer.Layer<GenerationRunner, E2, GenerationExecutor | AgentStores | R>
): void => {
  const layerRunner = Layer.provideMerge(runner, layerGenerationExecutor)
  const layerUnderTest = layerRunner.pipe(
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
    Layer.provideMerge(layerControlledModel),
    Layer.provideMerge(stores),
    Layer.provideMerge(layerTiming)
  )
  withLayer(layerUnderTest, { excludeTestServices: true, timeout: 60_000 })(`GenerationRunner: ${name}`, (it) => {
    it.effect("runs a generation once, also if it is woken repeatedly", () => testRunsOnce)

    it.effect("stops an ended generation when it is halted", () => testHalt)

    it.effect("takes over a generation that its runner abandoned", () => testAbandoned)

    it.effect("leaves its running generations to other runners when it shuts down", () => testRunnerShutdown(runner))
  })
}
