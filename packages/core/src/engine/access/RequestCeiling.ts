import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"
import { type PlanNotConfigured, Plans } from "./plan.ts"
import { RequestWindowStore, type WindowVerdict } from "./RequestWindowStore.ts"

/** The account has used its requests of this minute. Its rate-limit window ends in `resetMs`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetMs: Schema.Finite
}) {
  override get message(): string {
    return say({ key: "rate_limited", params: { seconds: Math.max(1, Math.ceil(this.resetMs / 1000)) } }, "en")
  }
}

/** The length of a rate-limit window: one minute in production. Tests can use a shorter window. */
export const RequestWindow = Context.Reference<Duration.Input>("@tapeline/core/access/RequestWindow", {
  defaultValue: () => "1 minute"
})

/** A window without remaining requests under `limit`, until `ends` on the monotonic clock. */
interface Exhausted {
  readonly limit: number
  readonly ends: bigint
}

/** The maximum number of exhausted windows that are remembered. The oldest entry is evicted first. */
const capacity = 10_000
const nanosPerMs = 1_000_000n

/**
 * Enforces the plan's rate limit, in requests per minute, per account over all its keys. An exhausted window is cached
 * until it ends, so that a flood of rejected requests causes no store requests. A cached window applies only to the
 * limit under which it was exhausted: after a change to a higher plan, the account is admitted immediately.
 */
export class RequestCeiling extends Context.Service<RequestCeiling, {
  /** Counts one request. Fails with `RateLimited` if the window has no requests left. */
  readonly admit: (
    principal: Principal
  ) => Effect.Effect<WindowVerdict & { readonly limit: number }, RateLimited | PlanNotConfigured | StoreUnavailable>
}>()("@tapeline/core/access/RequestCeiling") {
  static readonly layer: Layer.Layer<RequestCeiling, never, RequestWindowStore | Plans> = Layer.effect(
    RequestCeiling,
    Effect.gen(function*() {
      const windows = yield* RequestWindowStore
      const plans = yield* Plans
      const windowMs = Duration.toMillis(yield* RequestWindow)

      // In the order of insertion.
      const exhausted = new Map<number, Exhausted>()
      const note = (account: number, entry: Exhausted) => {
        exhausted.delete(account)
        exhausted.set(account, entry)
        if (exhausted.size > capacity) exhausted.delete(exhausted.keys().next().value!)
      }

      const judge = (account: number, limit: number, asked: bigint) => (verdict: WindowVerdict) => {
        if (verdict.allowed) return Effect.succeed({ ...verdict, limit })
        note(account, { limit, ends: asked + BigInt(Math.floor(verdict.resetMs)) * nanosPerMs })
        return Effect.fail(new RateLimited({ limit, resetMs: verdict.resetMs }))
      }

      const admit = ({ account, plan }: Principal) =>
        Effect.flatMap(plans.of({ plan }), ({ requests_per_minute: limit }) =>
          // The time is read before the store request, so that the cached entry ends no later than the window.
          Effect.flatMap(Clock.monotonicTimeNanos, (asked) => {
            const known = exhausted.get(account)
            if (known !== undefined && known.limit === limit && asked < known.ends) {
              return Effect.fail(new RateLimited({ limit, resetMs: Number((known.ends - asked) / nanosPerMs) }))
            }
            return Effect.flatMap(windows.take({ account, limit, windowMs }), judge(account, limit, asked))
          }))
      return RequestCeiling.of({ admit })
    })
  )
}
