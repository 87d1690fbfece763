import { assert, describe, it } from "@effect/vitest"
import { groupCommit } from "@tapeline/core/engine"
import { Context, Deferred, Effect, Exit, Fiber, Latch } from "effect"

/** A store that records its batches, and responds only while its latch is open. */
const makeStore = (open: boolean) => {
  const batches: Array<ReadonlyArray<number>> = []
  const latch = Latch.makeUnsafe(open)
  const hasStarted = Deferred.makeUnsafe<void>()
  let running = 0
  let maxConcurrent = 0
  const write = Effect.fnUntraced(function*(inputs: ReadonlyArray<number>) {
    batches.push(inputs)
    maxConcurrent = Math.max(maxConcurrent, ++running)
    yield* Deferred.succeed(hasStarted, undefined)
    yield* latch.await
    running--
    if (inputs.includes(-1)) return yield* Effect.fail("broken" as const)
    if (inputs.includes(-2)) return yield* Effect.die("bug")
    return inputs.map((input) => input * 10)
  })
  return { batches, latch, hasStarted, write, most: () => maxConcurrent }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe("groupCommit", () => {
  it.effect("batches concurrent writes in order, and returns each caller its own result", () =>
    Effect.gen(function*() {
      const store = makeStore(true)
      const write = yield* groupCommit(store.write, { maxBatch: 100, batchesInFlight: 1 })
      const answers = yield* Effect.forEach(numbers(50), (n) => write(n), { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, numbers(50).map((n) => n * 10))
      assert.deepStrictEqual(store.batches, [numbers(50)])
    }))

  it.effect("collects the next batch while one is in flight", () =>
    Effect.gen(function*() {
      const store = makeStore(false)
      const write = yield* groupCommit(store.write, { maxBatch: 100, batchesInFlight: 1 })
      const first = yield* Effect.forkChild(write(0))
      yield* Deferred.await(store.hasStarted)
      const rest = yield* Effect.forkChild(Effect.forEach(numbers(300), (n) => write(n), { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      assert.deepStrictEqual(store.batches.length, 1)
      yield* store.latch.open
      assert.strictEqual(yield* Fiber.join(first), 0)
      assert.strictEqual((yield* Fiber.join(rest)).length, 300)
      assert.deepStrictEqual(store.batches.map((batch) => batch.length), [1, 100, 100, 100])
    }))

  it.effect("limits the number of batches in flight", () =>
    Effect.gen(function*() {
      const store = makeStore(true)
      const write = yield* groupCommit(
        (inputs: ReadonlyArray<number>) => Effect.andThen(Effect.yieldNow, store.write(inputs)),
        { maxBatch: 3, batchesInFlight: 2 }
      )
      yield* Effect.forEach(numbers(60), (n) => Effect.andThen(n % 7 === 0 ? Effect.yieldNow : Effect.void, write(n)), {
        concurrency: "unbounded"
      })
      assert.isAtMost(store.most(), 2)
      assert.deepStrictEqual(store.batches.flat().toSorted((a, b) => a - b), numbers(60))
    }))

  it.effect("fails only a batch's own writes if the batch fails or dies", () =>
    Effect.gen(function*() {
      const store = makeStore(true)
      const write = yield* groupCommit(store.write, { maxBatch: 2, batchesInFlight: 2 })
      const exits = yield* Effect.forEach([1, 2, -1, 3, -2, 4, 5], (n) => Effect.exit(write(n)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(exits, [
        Exit.succeed(10),
        Exit.succeed(20),
        Exit.fail("broken" as const),
        Exit.fail("broken" as const),
        Exit.die("bug"),
        Exit.die("bug"),
        Exit.succeed(50)
      ])
      assert.strictEqual(yield* write(6), 60)
    }))

  it.effect("omits a write whose caller leaves before its batch is sent", () =>
    Effect.gen(function*() {
      const store = makeStore(false)
      const write = yield* groupCommit(store.write, { maxBatch: 10, batchesInFlight: 1 })
      const first = yield* Effect.forkChild(write(1))
      yield* Deferred.await(store.hasStarted)
      const [interruptedWrite, uninterruptedWrite] = [
        yield* Effect.forkChild(write(2)),
        yield* Effect.forkChild(write(3))
      ]
      yield* Effect.yieldNow
      yield* Fiber.interrupt(interruptedWrite)
      yield* store.latch.open
      yield* Fiber.join(first)
      assert.strictEqual(yield* Fiber.join(uninterruptedWrite), 30)
      assert.deepStrictEqual(store.batches, [[1], [3]])
    }))

  it.effect("serves later writes after all callers of a batch left before it was sent", () =>
    Effect.gen(function*() {
      const store = makeStore(false)
      const write = yield* groupCommit(store.write, { maxBatch: 10, batchesInFlight: 1 })
      const first = yield* Effect.forkChild(write(1))
      yield* Deferred.await(store.hasStarted)
      const interruptedWrite = yield* Effect.forkChild(write(2))
      yield* Effect.yieldNow
      yield* store.latch.open
      yield* Fiber.interrupt(interruptedWrite)
      yield* Fiber.join(first)
      assert.strictEqual(yield* write(3), 30)
    }))

  it.effect("reports the outcome of a write in flight to its callback if the caller leaves", () =>
    Effect.gen(function*() {
      const store = makeStore(false)
      const write = yield* groupCommit(store.write, { maxBatch: 10, batchesInFlight: 1 })
      const observedExit = yield* Deferred.make<Exit.Exit<number, "broken">>()
      const interruptedWrite = yield* Effect.forkChild(
        write(4, (exit) => Effect.asVoid(Deferred.succeed(observedExit, exit)))
      )
      const uninterruptedWrite = yield* Effect.forkChild(write(5))
      yield* Deferred.await(store.hasStarted)
      yield* Fiber.interrupt(interruptedWrite)
      yield* store.latch.open
      assert.strictEqual(yield* Fiber.join(uninterruptedWrite), 50)
      assert.deepStrictEqual(yield* Deferred.await(observedExit), Exit.succeed(40))
    }))

  it.effect("runs a batch in the context of groupCommit, not of its first caller", () =>
    Effect.gen(function*() {
      const CallerLabel = Context.Reference<string>("Around", { defaultValue: () => "nothing" })
      const write = yield* groupCommit(
        (inputs: ReadonlyArray<number>) =>
          Effect.map(CallerLabel, (callerLabel) => inputs.map((input) => `${input} in ${callerLabel}`)),
        { maxBatch: 10, batchesInFlight: 1 }
      ).pipe(Effect.provideService(CallerLabel, "its own"))
      const answers = yield* Effect.all([Effect.provideService(write(1), CallerLabel, "a caller's"), write(2)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers, ["1 in its own", "2 in its own"])
    }))
})
