import { assert, describe, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { RateLimitStore } from "@tapeline/core/engine"
import { layerRedis, RedisRateLimitStore } from "@tapeline/redis"
import { Cause, Console, Effect, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"
import { needsRedisProgram, startOwnRedis } from "../../redis/test/support/redisServer.ts"
import { layerOutageReporter } from "../src/outages.ts"
import { layerLogs } from "../src/telemetry.ts"

const unavailable = (store: string, cause: string) => new StoreUnavailable({ store, cause: new Error(cause) })
const unavailableError = unavailable("KeyStore", "ConnectionError 57P01")

interface LogEntry {
  readonly level: string
  readonly message: string
  readonly cause?: string
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Returns the log entries that `work` writes. `work` can make a store unavailable. */
const entriesOf = Effect.fnUntraced(
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
    return lines.map((line): LogEntry => JSON.parse(line))
  }
)

const linesOf = (...args: Parameters<typeof entriesOf>) =>
  Effect.map(entriesOf(...args), (entries) => entries.map(({ message }) => message))

const countedNotice = "Further failures are counted until all stores are available."

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
        // The outage lasts until the store is available, even if no call fails in the meantime.
        yield* TestClock.adjust("1 minute")
        yield* Effect.logWarning("something else")
        store.isUnavailable = false
        yield* TestClock.adjust("10 seconds")
        yield* fail("store unavailable")
        yield* TestClock.adjust("10 seconds")
      }))
    const first = `store unavailable. ${countedNotice}`
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

const sqlError = (text: string) => {
  const cause = new Error(text)
  return new SqlError({ reason: new ConnectionError({ message: "PgConnection: Failed to connect", cause }) })
}

const timedOut = new Cause.TimeoutError("Operation timed out")

it.effect("logs one line at the start of an outage of the database, whichever store fails for whichever reason", () =>
  Effect.gen(function*() {
    const lines = yield* entriesOf("Info", () =>
      Effect.gen(function*() {
        yield* Effect.logWarning(
          "store unavailable",
          Cause.fail(unavailable("KeyStore", "ConnectionError ECONNREFUSED"))
        )
        for (const cause of ["ConnectionError 57P03", "ConnectionError ECONNREFUSED", "StatementTimeoutError 57014"]) {
          yield* Effect.logWarning("store unavailable", Cause.fail(unavailable("LedgerStore", cause)))
        }
        yield* Effect.logWarning("not ready", Cause.fail(unavailable("cluster", "This process has no shards yet")))
        // The cluster library logs the following failures.
        yield* Effect.logError(
          "Defect building entity handlers",
          Cause.die(new PersistenceError({ cause: sqlError("connect ECONNREFUSED") }))
        )
        yield* Effect.logWarning(
          "Could not release shards, retrying",
          Cause.fail(new PersistenceError({ cause: Cause.squash(Cause.interrupt(1)) }))
        )
        yield* Effect.logError("Shard lock storage is unhealthy", Cause.fail(timedOut))
        yield* Effect.logWarning("Forced shard release is still pending; reacquisition is blocked")
        yield* Effect.logInfo("Shard lock storage has recovered")
        yield* TestClock.adjust("10 seconds")
      }))
    assert.deepStrictEqual(lines.map(({ message }) => message), [
      `store unavailable. ${countedNotice}`,
      "All stores are available again. Failures within 0 s: 4 × store unavailable; 1 × not ready; " +
      "1 × Defect building entity handlers; 1 × Could not release shards, retrying; " +
      "1 × Shard lock storage is unhealthy; 1 other message"
    ])
    const store = "the store `...` cannot be reached, or does not respond in time"
    assert.include(lines[0]?.cause, "the store `KeyStore` cannot be reached")
    assert.deepInclude(lines[1]?.annotations["causes"], {
      [`${store}: ConnectionError ECONNREFUSED`]: 2,
      [`${store}: ConnectionError 57P03`]: 1
    })
  }))

it.effect("logs the first failure as a warning without a stack if the cluster library reports the outage first", () =>
  Effect.gen(function*() {
    const lines = yield* entriesOf("Info", () =>
      Effect.andThen(
        Effect.logError("Shard lock storage is unhealthy", Cause.fail(timedOut)),
        TestClock.adjust("10 seconds")
      ))
    assert.deepInclude(lines[0], {
      level: "WARN",
      message: `Shard lock storage is unhealthy. ${countedNotice}`,
      cause: "Operation timed out"
    })
    assert.lengthOf(lines, 2)
  }))

it.effect("logs a bug that the cluster library reports as an error with its stack", () =>
  Effect.gen(function*() {
    const [line] = yield* entriesOf("Info", () =>
      Effect.logError("Shard lock storage is unhealthy", Cause.die(new TypeError("bug"))))
    assert.deepInclude(line, { level: "ERROR", message: "Shard lock storage is unhealthy" })
    assert.match(line?.cause ?? "", /TypeError: bug\n +at /)
  }))

it.effect("logs a cause that needs another remedy than the rest of the outage separately, and only once", () =>
  Effect.gen(function*() {
    const lines = yield* linesOf("Info", () =>
      Effect.gen(function*() {
        yield* Effect.logWarning("not ready", Cause.fail(unavailable("cluster", "This process has no shards yet")))
        for (const cause of ["ConnectionError 57P03", "AuthenticationError 28P01", "no connection", "disk full"]) {
          yield* Effect.logWarning(
            cause,
            Cause.fail(unavailable("KeyStore", cause))
          )
          yield* Effect.logWarning(cause, Cause.fail(unavailable("TaskStore", cause)))
        }
      }))
    assert.deepStrictEqual(lines.map((line) => line.split(".")[0]), [
      "not ready",
      "ConnectionError 57P03",
      "AuthenticationError 28P01",
      "no connection",
      "disk full",
      "The process is stopping while stores are failing"
    ])
    assert.include(
      lines.at(-1),
      "2 × ConnectionError NPN; 2 × AuthenticationError NPN; 2 × no connection; 2 × disk full"
    )
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
    assert.deepStrictEqual(yield* linesOf("Debug", () => bothUnavailable), ["store unavailable", "store unavailable"])
    const logChargeInDoubt = Effect.logWarning("charge in doubt", Cause.fail({ _tag: "ChargeInDoubt" }))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(logChargeInDoubt, logChargeInDoubt)), 2)
    const slow = Effect.logWarning("slow", Cause.fail(new Cause.TimeoutError()))
    assert.lengthOf(yield* linesOf("Info", () => Effect.andThen(slow, slow)), 2)
    const combinedCause = Cause.combine(Cause.fail(unavailableError), Cause.die(new Error("bug")))
    // Three lines are logged: the first failure, the bug, and the counts at the end.
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
