import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { needsRedisProgram, startOwnRedis } from "../../redis/test/support/redisServer.ts"
import { startServer } from "./support/process.ts"
import { callGetPrice, createAccount, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

describe("A Redis outage", needsRedisProgram, () => {
  it.live(
    "makes /readyz and calls return 503; both recover when Redis is available again",
    () =>
      Effect.gen(function*() {
        const redis = yield* Effect.acquireRelease(
          Effect.promise(startOwnRedis),
          (redis) => Effect.promise(redis.stop)
        )
        const server = yield* startServer({
          ...testSettings,
          ...(yield* makePglite()).environment,
          REDIS_URL: redis.url
        })
        const { key } = yield* createAccount(server, "pro")
        assert.strictEqual((yield* callGetPrice(server, key)).status, 200)
        assert.strictEqual((yield* sendRequest(server, "GET", "/readyz")).status, 200)
        yield* Effect.promise(redis.kill)
        const readiness = yield* sendRequest(server, "GET", "/readyz")
        assert.deepStrictEqual([readiness.status, readiness.body.code], [503, "unavailable"])
        assert.include(readiness.body.detail, "`Redis`")
        assert.strictEqual((yield* callGetPrice(server, key)).status, 503)
        yield* Effect.promise(redis.start)
        yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
        assert.strictEqual((yield* callGetPrice(server, key)).status, 200)
      }),
    60_000
  )
})
