import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"
import { type PlanNotConfigured, Plans } from "./plan.ts"
import { RequestWindowStore, type WindowVerdict } from "./RequestWindowStore.ts"

/** The account's requests of this minute are used up; the window ends in `resetMs`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetMs: Schema.Finite
}) {
  override get message(): string {
    return say({ key: "rate_limited", params: { seconds: Math.max(1, Math.ceil(this.resetMs / 1000)) } }, "en")
  }
}

/** How long a window lasts. Production's is a minute; tests need not wait for it. */
export const RequestWindow = Context.Reference<Duration.Input>("@tapeline/core/access/RequestWindow", {
  defaultValue: () => "1 minute"
})

/** A window that has no room left under `limit`, until `ends` by a clock that nobody sets. */
interface Exhausted {
  readonly limit: number
  readonly ends: bigint
}

/** So many exhausted windows are remembered at most; the one that was noted first is forgotten first. */
const capacity = 10_000
const nanosPerMs = 1_000_000n

/**
 * The plan's ceiling on requests per minute: per account, over all its keys. A window that was seen exhausted is
 * remembered until it ends, so that a flood of refused requests costs the store nothing. What is remembered holds for
 * the limit that it was judged under and for no other: on a raised plan the account is admitted at once.
 */
export class RequestCeiling extends Context.Service<RequestCeiling, {
  /** Counts one request. */
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

      // In the order of noting.
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
          // Asked before the store is, so that what is remembered ends no later than the window.
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
