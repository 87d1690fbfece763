import { Context, Duration, Effect, Layer, Schema } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"
import { Plans } from "./plan.ts"
import { RequestWindowStore, type WindowVerdict } from "./RequestWindowStore.ts"

/** The account's requests of this minute are used up; the window ends in `resetMs`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetMs: Schema.Finite
}) {}

/** How long a window lasts. Production's is a minute; tests need not wait for it. */
export const RequestWindow = Context.Reference<Duration.Input>("@tapeline/core/access/RequestWindow", {
  defaultValue: () => "1 minute"
})

/** The plan's ceiling on requests per minute: per account, over all its keys. */
export class RequestCeiling extends Context.Service<RequestCeiling, {
  /** Counts one request. */
  readonly admit: (
    principal: Principal
  ) => Effect.Effect<WindowVerdict & { readonly limit: number }, RateLimited | StoreUnavailable>
}>()("@tapeline/core/access/RequestCeiling") {
  static readonly layer: Layer.Layer<RequestCeiling, never, RequestWindowStore | Plans> = Layer.effect(
    RequestCeiling,
    Effect.gen(function*() {
      const windows = yield* RequestWindowStore
      const plans = yield* Plans
      const windowMs = Duration.toMillis(yield* RequestWindow)

      const admit = Effect.fnUntraced(function*(principal: Principal) {
        const { requests_per_minute: limit } = yield* Effect.orDie(plans.get(principal.plan))
        const verdict = yield* windows.take({ account: principal.account, limit, windowMs })
        return verdict.allowed
          ? { ...verdict, limit }
          : yield* new RateLimited({ limit, resetMs: verdict.resetMs })
      })
      return RequestCeiling.of({ admit })
    })
  )
}
