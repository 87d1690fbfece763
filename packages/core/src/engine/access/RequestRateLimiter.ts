import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Principal } from "./account.ts"
import { type PlanNotConfigured, Plans } from "./plan.ts"
import { type RateLimitDecision, RateLimitStore } from "./RateLimitStore.ts"

/**
 * The error of an account or an API key that has used all its requests of the current minute. The account or key may
 * send requests again after `resetMs`.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetMs: Schema.Finite
}) {
  override get message(): string {
    return formatMessage(
      { key: "rate_limited", params: { seconds: Math.max(1, Math.ceil(this.resetMs / 1000)) } },
      "en"
    )
  }
}

/** The length of a rate-limit window: one minute in production, and shorter in tests. */
export const RateLimitWindow = Context.Reference<Duration.Input>("@tapeline/core/access/RateLimitWindow", {
  defaultValue: () => "1 minute"
})

/**
 * A rate-limit window in which `limit` requests were used. The window ends at `endsAt`, a time on the monotonic clock.
 */
interface ExhaustedWindow {
  readonly limit: number
  readonly endsAt: bigint
}

const maxExhaustedWindows = 10_000
const nanosPerMs = 1_000_000n

/**
 * Enforces the plan's rate limit, in requests per minute, on all keys of an account together, and the rate limits of
 * single keys. A request that exceeds the limit of its key does not count towards the limit of the account. An
 * exhausted rate-limit window is cached until its end, so that a flood of rejected requests causes no store requests.
 * If a rate limit was changed after its window was cached, the cached window is ignored.
 */
export class RequestRateLimiter extends Context.Service<RequestRateLimiter, {
  /**
   * Counts one request against the rate limits of the key and of the account, or fails with `RateLimited` if no
   * requests are left.
   */
  readonly admit: (
    principal: Principal
  ) => Effect.Effect<RateLimitDecision & { readonly limit: number }, RateLimited | PlanNotConfigured | StoreUnavailable>
}>()("@tapeline/core/access/RequestRateLimiter") {
  static readonly layer: Layer.Layer<RequestRateLimiter, never, RateLimitStore | Plans> = Layer.effect(
    RequestRateLimiter,
    Effect.gen(function*() {
      const windows = yield* RateLimitStore
      const plans = yield* Plans
      const windowMs = Duration.toMillis(yield* RateLimitWindow)

      // The exhausted windows in the order of insertion, so that the first entry is the oldest.
      const exhausted = new Map<string, ExhaustedWindow>()
      const rememberExhausted = (window: string, entry: ExhaustedWindow) => {
        exhausted.delete(window)
        exhausted.set(window, entry)
        if (exhausted.size > maxExhaustedWindows) exhausted.delete(exhausted.keys().next().value!)
      }

      const applyDecision = (window: string, limit: number, requestedAt: bigint) => (decision: RateLimitDecision) => {
        if (decision.isAllowed) return Effect.succeed({ ...decision, limit })
        rememberExhausted(window, { limit, endsAt: requestedAt + BigInt(Math.floor(decision.resetMs)) * nanosPerMs })
        return Effect.fail(new RateLimited({ limit, resetMs: decision.resetMs }))
      }

      const take = (account: number, key: number | undefined, limit: number) => {
        const window = key === undefined ? `${account}` : `${account}/${key}`
        // Reads the time before the store request, so that the cached entry ends no later than the rate-limit window.
        return Effect.flatMap(Clock.monotonicTimeNanos, (requestedAt) => {
          const cached = exhausted.get(window)
          if (cached !== undefined && cached.limit === limit && requestedAt < cached.endsAt) {
            return Effect.fail(
              new RateLimited({ limit, resetMs: Number((cached.endsAt - requestedAt) / nanosPerMs) })
            )
          }
          return Effect.flatMap(
            windows.take({ account, key, limit, windowMs }),
            applyDecision(window, limit, requestedAt)
          )
        })
      }

      const admit = ({ account, keyRateLimit, plan }: Principal) =>
        Effect.flatMap(plans.forAccount({ plan }), ({ requests_per_minute: limit }) => {
          const admitToAccount = take(account, undefined, limit)
          return keyRateLimit === undefined || keyRateLimit.perMinute >= limit
            ? admitToAccount
            : Effect.flatMap(
              take(account, keyRateLimit.firstKey, keyRateLimit.perMinute),
              (ofKey) =>
                Effect.map(admitToAccount, (ofAccount) => ofAccount.remaining < ofKey.remaining ? ofAccount : ofKey)
            )
        })
      return RequestRateLimiter.of({ admit })
    })
  )
}
