import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { runWithDeadline } from "../../src/engine/call/deadline.ts"

describe("runWithDeadline", () => {
  it.effect("returns the exit of work that ends before the deadline", () =>
    Effect.gen(function*() {
      const startSignal = yield* Deferred.make<number>()
      assert.deepStrictEqual(yield* runWithDeadline(Effect.succeed(1), 100), Exit.succeed(1))
      assert.deepStrictEqual(yield* runWithDeadline(Effect.fail("no"), 100), Exit.fail("no"))
      const waits = yield* Effect.forkChild(runWithDeadline(Deferred.await(startSignal), 100), {
        startImmediately: true
      })
      yield* TestClock.adjust(99)
      yield* Deferred.succeed(startSignal, 2)
      assert.deepStrictEqual(yield* Fiber.join(waits), Exit.succeed(2))
    }))

  it.effect("interrupts work at the deadline, and returns null", () =>
    Effect.gen(function*() {
      const hasEnded = yield* Deferred.make<void>()
      const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(hasEnded, undefined))
      const waits = yield* Effect.forkChild(runWithDeadline(work, 100), { startImmediately: true })
      yield* TestClock.adjust(100)
      assert.isNull(yield* Fiber.join(waits))
      yield* Deferred.await(hasEnded)
    }))

  it.effect("interrupts the work with its caller, even during the work's first step", () =>
    Effect.gen(function*() {
      for (const isInterruptedAtOnce of [true, false]) {
        const hasEnded = yield* Deferred.make<void>()
        const caller = yield* Deferred.make<Fiber.Fiber<unknown>>()
        const interruptCaller = Effect.flatMap(Deferred.await(caller), (fiber) =>
          Effect.sync(() => fiber.interruptUnsafe()))
        const work = Effect.andThen(isInterruptedAtOnce ? interruptCaller : Effect.void, Effect.never)
        const waits = yield* Effect.forkChild(
          Effect.andThen(
            Deferred.await(caller),
            runWithDeadline(
              Effect.onInterrupt(work, () =>
                Deferred.succeed(hasEnded, undefined)),
              100
            )
          ),
          { startImmediately: true }
        )
        yield* Deferred.succeed(caller, waits)
        if (!isInterruptedAtOnce) yield* Fiber.interrupt(waits)
        yield* Deferred.await(hasEnded)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(waits)))
      }
    }))
})
