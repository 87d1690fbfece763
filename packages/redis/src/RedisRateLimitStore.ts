import { RateLimitStore, type StoreUnavailable } from "@tapeline/core/engine"
import { Duration, Effect, Layer } from "effect"
import { Redis, script } from "effect/persistence/Redis"
import { makeTimeoutError, toStoreUnavailable } from "./errors.ts"

/**
 * Returns the Redis key of the rate-limit window of an account or of an API key. The value of the Redis key is a
 * counter that expires at the end of the window.
 */
export const windowKey = (account: number, key?: number): string =>
  key === undefined ? `tapeline:requests:${account}` : `tapeline:requests:key:${key}`

/**
 * Decides whether to admit a request, and returns the decision, the number of admitted requests, and the ms until the
 * window ends. The script is atomic and reads the server's clock once, so the window's key either exists or has
 * expired.
 */
const takeRequestScript = script(
  (window: string, limit: number, windowMs: number) => [window, limit, Math.ceil(windowMs)],
  {
    numberOfKeys: 1,
    lua: `
      local limit = tonumber(ARGV[1])
      local taken = tonumber(redis.call('GET', KEYS[1]))
      local left = redis.call('PTTL', KEYS[1])
      if taken == nil or left < 0 then
        taken = 0
        left = tonumber(ARGV[2])
        redis.call('SET', KEYS[1], 0, 'PX', ARGV[2])
      end
      local allowed = taken < limit
      if allowed then
        taken = redis.call('INCR', KEYS[1])
      end
      return { allowed and 1 or 0, taken, left }
    `
  }
).withReturnType<readonly [allowed: number, taken: number, leftMs: number]>()

/** The maximum duration of a Redis command. */
const commandTimeout = Duration.seconds(1)

/**
 * Implements `RateLimitStore` with Redis, and takes all times from the clock of the Redis server. If the Redis server
 * evicts keys (`maxmemory-policy`) or loses its memory, rate-limit windows start again early.
 */
export const RedisRateLimitStore: Layer.Layer<RateLimitStore, never, Redis> = Layer.effect(
  RateLimitStore,
  Effect.map(Redis, (redis) => {
    const run = redis.eval(takeRequestScript)
    return RateLimitStore.of({
      take: ({ account, key, limit, windowMs }) =>
        run(windowKey(account, key), limit, windowMs).pipe(
          Effect.mapError((error) => toStoreUnavailable("RateLimitStore", error)),
          Effect.timeoutOrElse({
            duration: commandTimeout,
            orElse: () => Effect.fail(makeTimeoutError("RateLimitStore"))
          }),
          Effect.map(([allowed, taken, leftMs]) => ({
            isAllowed: allowed === 1,
            remaining: Math.max(0, limit - taken),
            resetMs: leftMs
          }))
        )
    })
  })
)

/** Succeeds if the Redis server answers within a second. */
export const checkRedis: Effect.Effect<void, StoreUnavailable, Redis> = Effect.gen(function*() {
  const redis = yield* Redis
  yield* redis.send("PING").pipe(
    Effect.mapError((error) => toStoreUnavailable("Redis", error)),
    Effect.timeoutOrElse({ duration: commandTimeout, orElse: () => Effect.fail(makeTimeoutError("Redis")) })
  )
})
