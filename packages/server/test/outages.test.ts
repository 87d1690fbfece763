import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { Cause, Console, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerOutageEnds } from "../src/outages.ts"
import { layerLogs } from "../src/telemetry.ts"

const away = new StoreUnavailable({ store: "KeyStore", cause: new Error("ConnectionError 57P01") })

/** The lines that `work` writes while a store can be switched off. */
const linesOf = (level: "Info" | "Debug", work: (store: { isAway: boolean }) => Effect.Effect<void>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const output = Object.assign(Object.create(console), { error: (line: string) => void lines.push(line) })
    const store = { isAway: false }
    const ends = layerOutageEnds(Effect.suspend(() => store.isAway ? Effect.fail(away) : Effect.void))
    yield* work(store).pipe(
      Effect.provide(Layer.provideMerge(ends, layerLogs(level))),
      Effect.provideService(Console.Console, output)
    )
    return lines.map((line): string => JSON.parse(line).message)
  })

const fail = (message: string) => Effect.logWarning(message, Cause.fail(away))

it.effect("logs one line when a store goes away, and one with counts when all answer again", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", (store) =>
      Effect.gen(function*() {
        store.isAway = true
        yield* fail("store unavailable")
        for (let i = 0; i < 20; i++) {
          yield* fail("store unavailable")
          yield* fail(`Generation ${i} could not be placed`)
          yield* TestClock.adjust("1 second")
        }
        // It stays an outage while the store is away, although nothing fails.
        yield* TestClock.adjust("1 minute")
        yield* Effect.logWarning("something else")
        store.isAway = false
        yield* TestClock.adjust("10 seconds")
        yield* fail("store unavailable")
        yield* TestClock.adjust("10 seconds")
      }))
    const first = "store unavailable. Further failures are counted until all stores answer."
    assert.deepStrictEqual(lines, [
      first,
      "something else",
      "All stores answer again. Failures within 19 s: 21 × store unavailable; 20 × Generation N could not be placed",
      first,
      "All stores answer again. Failures within 0 s: 1 × store unavailable"
    ])
  }))

it.effect("is one outage while failures come again within seconds", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", () =>
      Effect.gen(function*() {
        for (let i = 0; i < 50; i++) {
          yield* fail("store unavailable")
          yield* TestClock.adjust("2 seconds")
        }
        yield* TestClock.adjust("10 seconds")
      }))
    assert.lengthOf(lines, 2)
    assert.include(lines[1], "within 98 s: 50 ×")
  }))

it.effect("logs each failure if the level is Debug, and each charge in doubt at any level", () =>
  Effect.gen(function*() {
    const twice = Effect.andThen(fail("store unavailable"), fail("store unavailable"))
    assert.lengthOf(yield* linesOf("Debug", () => twice), 2)
    const doubt = Effect.logWarning("charge in doubt", Cause.fail({ _tag: "ChargeInDoubt" }))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(doubt, doubt)), 2)
    const both = Cause.combine(Cause.fail(away), Cause.die(new Error("bug")))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(twice, Effect.logError("broke", both))), 2)
  }))
