import { assert, describe, it } from "@effect/vitest"
import { RateLimitStore } from "@tapeline/core/engine"
import { checkRedis, layerRedis, RedisRateLimitStore } from "@tapeline/redis"
import { Cause, Context, Effect, Exit, Layer, Logger, type LogLevel, References, Scope } from "effect"
import { freePort, needsRedisProgram, startOwnRedis } from "./support/redisServer.ts"

interface Line {
  readonly level: LogLevel.LogLevel
  readonly message: string
  readonly cause: string
}

const onRedis = (url: string, lines: Array<Line>, heartbeatMs = 200) => {
  const logger = Logger.make(({ cause, logLevel: level, message }) =>
    void lines.push({ level, message: String(message), cause: Cause.pretty(cause) })
  )
  return RedisRateLimitStore.pipe(
    Layer.provideMerge(layerRedis({ url, heartbeatMs })),
    Layer.provide([Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Debug")])
  )
}

const setUp = Effect.gen(function*() {
  const server = yield* Effect.acquireRelease(
    Effect.promise(startOwnRedis),
    (server) => Effect.promise(server.stop)
  )
  const scope = yield* Scope.Scope
  const client = yield* Scope.fork(scope)
  const lines: Array<Line> = []
  const services = yield* Layer.buildWithScope(onRedis(server.url, lines), client)
  const take = Context.get(services, RateLimitStore).take({ account: 1, limit: 1_000, windowMs: 60_000 })
  const check = Effect.provideContext(checkRedis, services)
  return { server, lines, take, check, close: Scope.close(client, Exit.void) }
})

const eventually = <A, E>(effect: Effect.Effect<A, E>, withinMs: number) =>
  Effect.gen(function*() {
    const deadline = Date.now() + withinMs
    for (;;) {
      const exit = yield* Effect.exit(effect)
      if (Exit.isSuccess(exit) || Date.now() > deadline) return yield* exit
      yield* Effect.sleep(20)
    }
  })

const timed = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function*() {
    const started = performance.now()
    const result = yield* Effect.result(effect)
    return { result, ms: performance.now() - started }
  })

const assertWarnings = (lines: ReadonlyArray<Line>, count: number) => {
  const warnings = lines.filter(({ level }) => level === "Warn")
  assert.lengthOf(warnings, count)
  for (const { cause, message } of warnings) {
    assert.match(message, /^The connection to Redis failed \(\w+( \w+)?\)$/)
    assert.match(cause, /^StoreUnavailable: the store `Redis` cannot be reached, .*\[cause\]: Error: no connection\n/su)
  }
}

describe("A failing Redis server", needsRedisProgram, () => {
  it.live("fails requests quickly after it was killed, and serves them after a restart", () =>
    Effect.gen(function*() {
      const { check, lines, server, take } = yield* setUp
      assert.isTrue((yield* take).isAllowed)
      yield* check
      yield* Effect.promise(server.kill)
      assert.strictEqual((yield* Effect.flip(check))._tag, "StoreUnavailable")
      for (let i = 0; i < 3; i++) {
        const { ms, result } = yield* timed(take)
        assert.strictEqual(result._tag === "Failure" ? result.failure._tag : "Success", "StoreUnavailable")
        assert.isBelow(ms, 1_500)
      }
      yield* Effect.promise(server.start)
      // The restarted server has an empty memory and no cached scripts.
      assert.strictEqual((yield* eventually(take, 10_000)).remaining, 999)
      assertWarnings(lines, 1)
    }), 30_000)

  it.live(
    "causes one warning for each outage, and logs of reconnects at the level Debug",
    () =>
      Effect.gen(function*() {
        const { lines, server, take } = yield* setUp
        for (const outage of [1, 2]) {
          yield* Effect.promise(server.kill)
          const { result } = yield* timed(take)
          assert.strictEqual(result._tag, "Failure")
          const attempts = Effect.sync(() =>
            lines.filter(({ message }) => /not open yet \(Error E/.test(message)).length
          )
          yield* Effect.repeat(Effect.delay(attempts, 5), { until: (count) => count >= 2 * outage })
          yield* Effect.promise(server.start)
          yield* eventually(take, 10_000)
        }
        assertWarnings(lines, 2)
        assert.isTrue(lines.every(({ level }) => level === "Warn" || level === "Debug"))
      }),
    30_000
  )

  it.live(
    "fails requests in time and closes at once while it is frozen, and serves requests afterwards",
    () =>
      Effect.gen(function*() {
        const { check, close, server, take } = yield* setUp
        yield* take
        server.freeze()
        const silent = yield* timed(check)
        assert.strictEqual(silent.result._tag, "Failure")
        assert.isBelow(silent.ms, 2_000)
        const timedFailure = yield* timed(take)
        assert.strictEqual(
          timedFailure.result._tag === "Failure" ? timedFailure.result.failure._tag : "Success",
          "StoreUnavailable"
        )
        assert.isBelow(timedFailure.ms, 2_000)
        server.unfreeze()
        assert.isTrue((yield* eventually(take, 10_000)).isAllowed)
        server.freeze()
        yield* Effect.forkChild(Effect.ignore(take))
        yield* Effect.yieldNow
        const secondTake = yield* timed(close)
        server.unfreeze()
        assert.isBelow(secondTake.ms, 1_000)
      }),
    30_000
  )

  it.live(
    "is named as the reason without its password if it is unreachable at the start",
    () =>
      Effect.gen(function*() {
        const port = yield* Effect.promise(freePort)
        const lines: Array<Line> = []
        const error = yield* Effect.flip(
          Effect.scoped(Layer.build(onRedis(`redis://me:hunter2hunter2@127.0.0.1:${port}`, lines)))
        )
        // The caller of the check logs the failure.
        assert.isEmpty(lines)
        assert.strictEqual(error._tag, "RedisUnavailable")
        assert.include(error.message, "ECONNREFUSED")
        assert.notInclude(error.message, "hunter2")
      }),
    30_000
  )
})
