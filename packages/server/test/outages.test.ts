import { assert, describe, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { RateLimitStore } from "@tapeline/core/engine"
import { layerRedis, RedisRateLimitStore } from "@tapeline/redis"
import { Cause, Console, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { needsRedisProgram, startOwnRedis } from "../../redis/test/support/redisServer.ts"
import { layerOutageReporter } from "../src/outages.ts"
import { layerLogs } from "../src/telemetry.ts"

const unavailable = (store: string, cause: string) => new StoreUnavailable({ store, cause: new Error(cause) })
const unavailableError = unavailable("KeyStore", "ConnectionError 57P01")

/** Returns the log lines that `work` writes. `work` can make a store unavailable. */
const linesOf = Effect.fnUntraced(
  function*(level: "Info" | "Debug", work: (store: { isUnavailable: boolean }) => Effect.Effect<void>) {
    const lines: Array<string> = []
    const output = Object.assign(Object.create(console), { error: (line: string) => void lines.push(line) })
    const store = { isUnavailable: false }
    const ends = layerOutageReporter(
      Effect.suspend(() => store.isUnavailable ? Effect.fail(unavailableError) : Effect.void)
    )
    yield* work(store).pipe(
      Effect.provide(Layer.provideMerge(ends, layerLogs(level))),
      Effect.provideService(Console.Console, output)
    )
    return lines.map((line): string => JSON.parse(line).message)
  }
)

const fail = (message: string) => Effect.logWarning(message, Cause.fail(unavailableError))

it.effect("logs one line when a store becomes unavailable, and one with counts when all stores answer again", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", (store) =>
      Effect.gen(function*() {
        store.isUnavailable = true
        yield* fail("store unavailable")
        for (let i = 0; i < 20; i++) {
          yield* fail("store unavailable")
          yield* fail(`Generation ${i} could not be placed`)
          yield* TestClock.adjust("1 second")
        }
        // The outage continues while the store is unavailable, even if no call fails.
        yield* TestClock.adjust("1 minute")
        yield* Effect.logWarning("something else")
        store.isUnavailable = false
        yield* TestClock.adjust("10 seconds")
        yield* fail("store unavailable")
        yield* TestClock.adjust("10 seconds")
      }))
    const first = "store unavailable. Further failures with this cause are counted until all stores are available."
    assert.deepStrictEqual(lines, [
      first,
      "something else",
      "All stores are available again. Failures within 19 s: 21 × store unavailable; 20 × Generation N could not be placed",
      first,
      "All stores are available again. Failures within 0 s: 1 × store unavailable"
    ])
  }))

it.effect("treats failures within seconds of each other as one outage", () =>
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

it.effect("logs each cause of an outage once, whichever store fails", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", () =>
      Effect.gen(function*() {
        for (const cause of ["ECONNREFUSED", "ECONNREFUSED", "57P03", "disk full", "57P03"]) {
          yield* Effect.logWarning(
            cause,
            Cause.fail(unavailable(cause === "57P03" ? "LedgerStore" : "KeyStore", cause))
          )
          yield* Effect.logWarning(cause, Cause.fail(unavailable("TaskStore", cause)))
        }
      }))
    assert.deepStrictEqual(lines.map((line) => line.split(".")[0]), [
      "ECONNREFUSED",
      "57P03",
      "disk full",
      "The process is stopping while stores are failing"
    ])
    assert.include(lines.at(-1), "4 × ECONNREFUSED; 4 × NPN; 2 × disk full")
  }))

it.effect("logs the counts every five minutes while stores fail", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", (store) =>
      Effect.gen(function*() {
        store.isUnavailable = true
        yield* fail("store unavailable")
        yield* TestClock.adjust("11 minutes")
        store.isUnavailable = false
        yield* TestClock.adjust("10 seconds")
      }))
    assert.deepStrictEqual(lines.slice(1).map((line) => line.split(".")[0]), [
      "Stores are still failing",
      "Stores are still failing",
      "All stores are available again"
    ])
  }))

it.effect("logs each failure if the level is Debug, and each charge in doubt at any level", () =>
  Effect.gen(function*() {
    const bothUnavailable = Effect.andThen(fail("store unavailable"), fail("store unavailable"))
    assert.lengthOf(yield* linesOf("Debug", () => bothUnavailable), 2)
    const logChargeInDoubt = Effect.logWarning("charge in doubt", Cause.fail({ _tag: "ChargeInDoubt" }))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(logChargeInDoubt, logChargeInDoubt)), 2)
    const slow = Effect.logWarning("slow", Cause.fail(new Cause.TimeoutError()))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(slow, slow)), 2)
    const combinedCause = Cause.combine(Cause.fail(unavailableError), Cause.die(new Error("bug")))
    // The lines are the first failure, the bug, and the counts at the end.
    assert.lengthOf(
      yield* linesOf("Info", () => Effect.andThen(bothUnavailable, Effect.logError("broke", combinedCause))),
      3
    )
  }))

describe("An outage of Redis", needsRedisProgram, () => {
  it.live("is one line at its start and the counts at its end, also if many calls fail", () =>
    Effect.gen(function*() {
      const redis = yield* Effect.acquireRelease(Effect.promise(startOwnRedis), ({ stop }) => Effect.promise(stop))
      const lines = yield* linesOf("Info", () =>
        Effect.gen(function*() {
          const { take } = yield* RateLimitStore
          yield* Effect.promise(redis.kill)
          const call = take({ account: 1, limit: 9, windowMs: 60_000 })
          for (let i = 0; i < 20; i++) {
            const failed = yield* Effect.flip(call)
            yield* Effect.logWarning("store unavailable", Cause.fail(failed))
            yield* Effect.sleep("5 millis")
          }
        }).pipe(
          Effect.provide(RedisRateLimitStore.pipe(Layer.provide(layerRedis({ url: redis.url })))),
          Effect.orDie
        ))
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /^The connection to Redis failed \(\w+( \w+)?\)\. Further failures/)
      assert.match(
        lines[1] ?? "",
        /^The process is stopping while stores are failing\. .*20 × store unavailable; 1 × The connection/
      )
    }))
})
