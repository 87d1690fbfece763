import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { runWithDeadline } from "../../src/engine/call/deadline.ts"

describe("runWithDeadline", () => {
  it.effect("returns the exit of work that ends before the deadline", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<number>()
      assert.deepStrictEqual(yield* runWithDeadline(Effect.succeed(1), 100), Exit.succeed(1))
      assert.deepStrictEqual(yield* runWithDeadline(Effect.fail("no"), 100), Exit.fail("no"))
      const waits = yield* Effect.forkChild(runWithDeadline(Deferred.await(gate), 100), { startImmediately: true })
      yield* TestClock.adjust(99)
      yield* Deferred.succeed(gate, 2)
      assert.deepStrictEqual(yield* Fiber.join(waits), Exit.succeed(2))
    }))

  it.effect("interrupts work at the deadline, and returns null", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
      const waits = yield* Effect.forkChild(runWithDeadline(work, 100), { startImmediately: true })
      yield* TestClock.adjust(100)
      assert.isNull(yield* Fiber.join(waits))
      yield* Deferred.await(ended)
    }))

  it.effect("interrupts the work with its caller, even during the work's first step", () =>
    Effect.gen(function*() {
      for (const leavesAtOnce of [true, false]) {
        const ended = yield* Deferred.make<void>()
        const caller = yield* Deferred.make<Fiber.Fiber<unknown>>()
        const leave = Effect.flatMap(Deferred.await(caller), (fiber) => Effect.sync(() => fiber.interruptUnsafe()))
        const work = Effect.andThen(leavesAtOnce ? leave : Effect.void, Effect.never)
        const waits = yield* Effect.forkChild(
          Effect.andThen(
            Deferred.await(caller),
            runWithDeadline(Effect.onInterrupt(work, () => Deferred.succeed(ended, undefined)), 100)
          ),
          { startImmediately: true }
        )
        yield* Deferred.succeed(caller, waits)
        if (!leavesAtOnce) yield* Fiber.interrupt(waits)
        yield* Deferred.await(ended)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waits)))
      }
    }))
})
