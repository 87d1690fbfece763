import { assert, layer as withLayer } from "@effect/vitest"
import { layerEngine, Toolbox } from "@tapeline/core"
import {
  type Advance,
  AgentTiming,
  type Generation,
  GenerationLog,
  GenerationRunner,
  GenerationStore,
  layerAdvance
} from "@tapeline/core/agent"
import type { RequestWindowStore } from "@tapeline/core/engine"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { type AgentStores, begin, endOf, newAccount, taken } from "../agent/fixtures.ts"
import { cue, over, say, ScriptedModel } from "../agent/ScriptedModel.ts"

type Stores = AgentStores | RequestWindowStore

/** A model that signals when it is called, waits, and signals when its caller stops reading. */
class Play {
  asked = 0
  readonly begun = Deferred.makeUnsafe<void>()
  readonly goOn = Deferred.makeUnsafe<void>()
  readonly givenUp = Deferred.makeUnsafe<void>()
  readonly wait = Effect.andThen(Deferred.succeed(this.begun, undefined), Deferred.await(this.goOn)).pipe(
    Effect.onInterrupt(() => Deferred.succeed(this.givenUp, undefined))
  )
}

/** The plays by question, so that each test controls its own answers. */
class Plays extends Context.Service<Plays, { readonly of: (question: string) => Play }>()(
  "@tapeline/testing/contracts/generationRunner/Plays"
) {}

const never = 3_600_000

/** Disables the sweep and periodic look-ups, so that a runner reads its row only when it is notified. */
const timing = Layer.effect(
  AgentTiming,
  Effect.map(
    AgentTiming,
    (usual) => ({ ...usual, staleMs: 0, renewEveryMs: never, lookEveryMs: never, sweepEveryMs: never })
  )
)

const director = Layer.effectContext(
  Effect.sync(() => {
    const plays = new Map<string, Play>()
    const of = (question: string) => {
      const play = plays.get(question) ?? new Play()
      plays.set(question, play)
      return play
    }
    const model = new ScriptedModel(({ turns }) => {
      const said = turns.findLast((turn) => turn._tag === "User")
      const play = of(said?._tag === "User" ? said.text : "")
      play.asked++
      return [cue(play.wait), say("because"), over]
    })
    return { model, of }
  }).pipe(Effect.flatMap(({ model, of }) => Effect.map(Layer.build(model.layer), Context.add(Plays, { of }))))
)

let asked = 0

/** A generation that no runner has taken, with the play that answers it. */
const placed = Effect.gen(function*() {
  const text = `question ${++asked}`
  const { id } = yield* begin(yield* newAccount, {
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
  return { id, play: (yield* Plays).of(text) }
})

/** Waits until the row is closed and returns it. */
const closed = (id: number): Effect.Effect<Generation, unknown, GenerationStore | GenerationLog> =>
  Effect.scoped(Effect.gen(function*() {
    const [store, log] = yield* Effect.all([GenerationStore, GenerationLog])
    const { woken } = yield* log.listen(id)
    for (;;) {
      const row = yield* store.find(id)
      if (row?.state === "closed") return row
      yield* woken
    }
  }))

const once = Effect.gen(function*() {
  const { wake } = yield* GenerationRunner
  const { id, play } = yield* placed
  yield* Effect.forEach([1, 2, 3, 4], () => wake(id), { concurrency: "unbounded" })
  yield* Deferred.await(play.begun)
  // The caller of the first `wake` is gone, and the generation still waits for its model.
  yield* wake(id)
  yield* Deferred.succeed(play.goOn, undefined)
  const row = yield* closed(id)
  assert.deepStrictEqual([row.outcome, row.epoch, play.asked], ["finished", 1, 1])
  yield* wake(id)
  yield* wake(2_000_000_000)
  const next = yield* placed
  yield* Deferred.succeed(next.play.goOn, undefined)
  yield* wake(next.id)
  yield* closed(next.id)
  assert.strictEqual(play.asked, 1)
})

const halted = Effect.gen(function*() {
  const [{ halt, wake }, store] = yield* Effect.all([GenerationRunner, GenerationStore])
  const { id, play } = yield* placed
  yield* wake(id)
  yield* Deferred.await(play.begun)
  // Halting has no effect on a generation that its runner still holds.
  yield* halt(id)
  const ended = yield* store.endAnyway(id, ({ generation }) => endOf(generation.conversation, { outcome: "cancelled" }))
  assert.strictEqual(ended?.outcome, "cancelled")
  yield* halt(id)
  yield* Deferred.await(play.givenUp)
  assert.strictEqual(play.asked, 1)
  yield* halt(2_000_000_000)
})

const abandoned = Effect.gen(function*() {
  const { wake } = yield* GenerationRunner
  const { id, play } = yield* placed
  yield* taken(id)
  yield* Deferred.succeed(play.goOn, undefined)
  yield* wake(id)
  const row = yield* closed(id)
  assert.deepStrictEqual([row.outcome, row.epoch, play.asked], ["finished", 2, 1])
})

const left = <E, R>(runner: Layer.Layer<GenerationRunner, E, R>) =>
  Effect.gen(function*() {
    const [{ wake }, store] = yield* Effect.all([GenerationRunner, GenerationStore])
    const { id, play } = yield* placed
    const scope = yield* Scope.make()
    const other = yield* Layer.buildWithScope(Layer.fresh(runner), scope)
    yield* Context.get(other, GenerationRunner).wake(id)
    yield* Deferred.await(play.begun)
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual((yield* store.find(id))?.state, "running")
    yield* Deferred.succeed(play.goOn, undefined)
    yield* wake(id)
    const row = yield* closed(id)
    // Each runner that took the generation called the model once. A runner may also forward a generation to another
    // runner from the start.
    assert.deepStrictEqual([row.outcome, play.asked], ["finished", row.epoch])
  })

/** The contract tests of `GenerationRunner`, over an adapter's own stores and the machine's clock. */
export const generationRunnerContract = <R, E, E2>(
  name: string,
  stores: Layer.Layer<Stores | R, E>,
  runner: Layer.Layer<GenerationRunner, E2, Advance | AgentStores | R>
): void => {
  const runs = Layer.provideMerge(runner, layerAdvance)
  const engine = runs.pipe(
    Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) })),
    Layer.provideMerge(director),
    Layer.provideMerge(stores),
    Layer.provideMerge(timing)
  )
  withLayer(engine, { excludeTestServices: true, timeout: 60_000 })(`GenerationRunner: ${name}`, (it) => {
    it.effect("runs what it is woken for once, however often it is woken", () => once)

    it.effect("stops one that has ended when it is told to look", () => halted)

    it.effect("takes one that its runner left", () => abandoned)

    it.effect("leaves what it runs to others when it ends", () => left(runner))
  })
}
