import { assert, describe, it } from "@effect/vitest"
import { RateLimitStore } from "@tapeline/core/engine"
import { layerRedis, RedisRateLimitStore } from "@tapeline/redis"
import { rateLimitStoreContract } from "@tapeline/testing/contracts/rateLimitStore"
import { Context, Effect, Layer } from "effect"
import { Redis } from "effect/persistence/Redis"
import { afterAll } from "vitest"
import { findRedis, needsRedis } from "./support/redisServer.ts"

const server = await findRedis()
afterAll(() => server?.stop())

const onRedis = (url: string) => RedisRateLimitStore.pipe(Layer.provideMerge(layerRedis({ url })))

/** Moves the windows to the past, because the clock of the Redis server cannot be set. */
const advance = (ms: number) =>
  Effect.flatMap(Redis, (redis) =>
    redis.send(
      "EVAL",
      `for _, key in ipairs(redis.call('KEYS', 'tapeline:requests:*')) do
        redis.call('PEXPIRE', key, redis.call('PTTL', key) - tonumber(ARGV[1]))
      end`,
      "0",
      String(ms)
    ))

// The test clock does not advance, so no command reaches its time limit on a busy machine.
describe("RateLimitStore", needsRedis, () => {
  rateLimitStoreContract("Redis", onRedis(server?.url ?? ""), advance)

  describe("RateLimitStore: Redis, two clients", () => {
    it.effect(
      "never exceed the limit when they race, and return each remaining count once",
      () =>
        Effect.gen(function*() {
          const stores = yield* Effect.forEach(
            [1, 2],
            () => Effect.map(Layer.build(onRedis(server!.url)), (services) => Context.get(services, RateLimitStore))
          )
          const account = Math.floor(Math.random() * 1e9) + 1e9
          const verdicts = yield* Effect.forEach(
            Array.from({ length: 400 }, (_, i) => stores[i % 2]!),
            (store) => store.take({ account, limit: 60, windowMs: 60_000 }),
            { concurrency: "unbounded" }
          )
          const allowed = verdicts.filter((verdict) => verdict.isAllowed)
          assert.deepStrictEqual(
            allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
            Array.from({ length: 60 }, (_, i) => i)
          )
          assert.isTrue(verdicts.every(({ resetMs }) => resetMs > 50_000 && resetMs <= 60_000))
        }),
      20_000
    )

    it.effect("admit at most the limit in each window", () =>
      Effect.gen(function*() {
        const stores = yield* Effect.forEach([1, 2], () =>
          Effect.map(Layer.build(onRedis(server!.url)), (services) => Context.get(services, RateLimitStore)))
        const account = Math.floor(Math.random() * 1e9) + 1e9
        const windowMs = 200
        const limit = 7
        let allowed = 0
        const started = Date.now()
        // More requests are admitted than two windows allow, so the windows must have been renewed.
        yield* Effect.forEach(stores, (store) =>
          Effect.gen(function*() {
            while (allowed <= 2 * limit) {
              const { isAllowed: admitted } = yield* store.take({ account, limit, windowMs })
              if (admitted) {
                allowed++
              }
            }
          }), { concurrency: "unbounded" })
        const windows = Math.floor((Date.now() - started) / windowMs) + 1
        assert.isAtMost(allowed, windows * limit)
      }), 20_000)
  })
})
