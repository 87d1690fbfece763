import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"

/** Advances the clock until a condition is true, while real sockets keep running. */
export const advanceUntil = Effect.fnUntraced(
  function*<E, R>(description: string, condition: Effect.Effect<boolean, E, R>) {
    for (let turn = 0; turn < 20_000; turn++) {
      if (yield* condition) return
      yield* Effect.promise(() => setImmediate())
      if (turn % 20 === 19) yield* TestClock.adjust(1_000)
    }
    assert.fail(`${description}: the condition never became true`)
  }
)

/** Waits until a condition is true, while real sockets keep running and the clock stands still. */
export const waitWithFixedClock = Effect.fnUntraced(
  function*<E, R>(description: string, condition: Effect.Effect<boolean, E, R>) {
    for (let turn = 0; turn < 20_000; turn++) {
      if (yield* condition) return
      yield* Effect.promise(() => setImmediate())
    }
    assert.fail(`${description}: the condition never became true`)
  }
)

export const advanceTo = Effect.fnUntraced(function*(time: number) {
  while ((yield* Clock.currentTimeMillis) < time) {
    for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => setImmediate())
    yield* TestClock.adjust(Math.min(1_000, time - (yield* Clock.currentTimeMillis)))
  }
})
