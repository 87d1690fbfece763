import { assert, it } from "@effect/vitest"
import { implement, layerEngine, Ledger, specify, Toolbox, ToolCaller } from "@tapeline/core"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"

let started = Deferred.makeUnsafe<void>()
let mayEnd = Deferred.makeUnsafe<void>()
let holdsInterrupts = false

const slow = implement(
  specify({
    name: "slow",
    area: "code",
    scope: "read:market",
    credits: 20,
    completesWhenAbandoned: true,
    summary: "Waits.",
    parameters: Schema.Struct({ commits: Schema.Boolean }),
    result: Schema.Struct({ done: Schema.Boolean }),
    example: { commits: true }
  }),
  Effect.succeed(({ commits }, { commit }) =>
    Effect.gen(function*() {
      if (commits) commit?.()
      yield* Deferred.succeed(started, undefined)
      yield* holdsInterrupts ? Effect.uninterruptible(Deferred.await(mayEnd)) : Deferred.await(mayEnd)
      return { done: true }
    })
  )
)

const engine = layerEngine({ toolbox: Toolbox.layer([slow]) })

/** Starts a call, and returns the fiber of the call as soon as the handler runs. */
const startCall = Effect.fnUntraced(function*(commits: boolean) {
  started = Deferred.makeUnsafe<void>()
  mayEnd = Deferred.makeUnsafe<void>()
  const { principal } = yield* createKeyedAccount()
  const caller = yield* ToolCaller
  const call = caller.call({ principal, name: "slow", arguments: { commits }, idempotencyKey: "once" })
  const fiber = yield* Effect.forkDetach(call)
  yield* Deferred.await(started)
  const ledger = yield* Ledger
  const books = Effect.map(ledger.balance(principal.account), (books) => [books!.used, books!.reserved])
  return { books, call, fiber }
})

const run = <A, E>(test: Effect.Effect<A, E, Layer.Success<typeof engine> | Layer.Success<typeof MemoryStores>>) =>
  Effect.provide(test, Layer.provideMerge(engine, MemoryStores))

it.effect("charges a committed call once if its caller left, and replays its answer under the same key", () =>
  run(Effect.gen(function*() {
    const { books, call, fiber } = yield* startCall(true)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual((yield* Effect.flip(call))._tag, "RequestInProgress")
    assert.deepStrictEqual(yield* books, [0, 20])
    yield* Deferred.succeed(mayEnd, undefined)
    const repeat = yield* Effect.retry(call, {
      while: ({ _tag }) => Effect.as(Effect.yieldNow, _tag === "RequestInProgress")
    })
    assert.deepInclude(repeat, { replayed: true, failure: null })
    assert.deepStrictEqual(yield* books, [20, 0])
  })))

it.effect("ends a call if its caller left before the commit, and releases its reservation", () =>
  run(Effect.gen(function*() {
    const { books, fiber } = yield* startCall(false)
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(yield* books, [0, 0])
  })))

it.effect("ends an uncommitted call at its time limit, and a committed call when its handler returns", () =>
  run(Effect.gen(function*() {
    const lateCall = yield* startCall(false)
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* Fiber.join(lateCall.fiber)).failure?.code, "timeout")
    assert.deepStrictEqual(yield* lateCall.books, [0, 0])
    const { books, fiber } = yield* startCall(true)
    yield* TestClock.adjust("59 seconds")
    yield* Deferred.succeed(mayEnd, undefined)
    assert.isNull((yield* Fiber.join(fiber)).failure)
    assert.deepStrictEqual(yield* books, [20, 0])
  })))

it.effect("ends a committed call at twice its time limit, uncharged, even if its caller left", () =>
  run(Effect.gen(function*() {
    const waited = yield* startCall(true)
    yield* TestClock.adjust("60 seconds")
    assert.strictEqual((yield* Fiber.join(waited.fiber)).failure?.code, "timeout")
    assert.deepStrictEqual(yield* waited.books, [0, 0])
    const left = yield* startCall(true)
    yield* Fiber.interrupt(left.fiber)
    yield* TestClock.adjust("60 seconds")
    assert.deepStrictEqual(yield* left.books, [0, 0])
  })))

it.effect("releases, and does not charge, a committed call whose handler returns at twice its time limit", () =>
  run(Effect.gen(function*() {
    holdsInterrupts = true
    const { books, fiber } = yield* startCall(true)
    yield* TestClock.adjust("60 seconds")
    yield* Deferred.succeed(mayEnd, undefined)
    assert.strictEqual((yield* Fiber.join(fiber)).failure?.code, "timeout")
    assert.deepStrictEqual(yield* books, [0, 0])
  })).pipe(Effect.ensuring(Effect.sync(() => {
    holdsInterrupts = false
  }))))

it.effect("releases a committed call when the engine ends", () =>
  Effect.gen(function*() {
    const stores = yield* Layer.build(MemoryStores)
    const scope = yield* Scope.make()
    const services = yield* Layer.buildWithScope(Layer.provide(engine, Layer.succeedContext(stores)), scope)
    const { books, fiber } = yield* startCall(true).pipe(Effect.provideContext(services), Effect.provideContext(stores))
    yield* Fiber.interrupt(fiber)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* books, [0, 0])
  }).pipe(Effect.scoped))
