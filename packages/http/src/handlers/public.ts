import {
  HealthBody,
  type MarketReadiness,
  NotReady,
  ReadinessBody,
  servedApi,
  ShuttingDown,
  Starting
} from "@tapeline/api"
import type { StoreUnavailable } from "@tapeline/core"
import { Clock, Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type CachedResponse, respondFromCache } from "../cachedResponse.ts"
import { Draining } from "../Draining.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { documentHeaders } from "./documentation.ts"

export class Readiness extends Context.Service<Readiness, {
  /** Fails with the name of a store if the store is unavailable. */
  readonly check: Effect.Effect<void, StoreUnavailable>
  /** The state of the live market. Unavailable market sources do not make the process unready. */
  readonly market?: Effect.Effect<typeof MarketReadiness.Type> | undefined
}>()("@tapeline/http/Readiness") {}

const respondHealth = makeJsonResponder(HealthBody)
const respondReadiness = makeJsonResponder(ReadinessBody)

/** The time after the start, in ms, in which a process that was never ready logs no warning. */
const startupMs = 30_000

/**
 * Returns the readiness check. While the process starts, a failed check returns `Starting` and logs no warning. After
 * the start, a failed check returns `NotReady` and logs a warning. If a check failed with `Starting`, the first
 * successful check is logged.
 */
const makeCheck = Effect.fnUntraced(function*(check: Effect.Effect<void, StoreUnavailable>) {
  const startedAt = yield* Clock.currentTimeMillis
  let state: "new" | "starting" | "ready" = "new"
  return check.pipe(
    Effect.andThen(Effect.suspend(() => {
      const wasStarting = state === "starting"
      state = "ready"
      return wasStarting ? Effect.logInfo("The process is ready") : Effect.void
    })),
    Effect.catch((cause) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<never, NotReady | Starting> => {
        if (state === "ready" || now - startedAt > startupMs) {
          return Effect.fail(new NotReady({ dependency: cause.store, cause }))
        }
        state = "starting"
        return Effect.fail(new Starting({ dependency: cause.store }))
      })
    )
  )
})

const noStoreHeaders = { "cache-control": "no-store" }

/** The handlers of the operations that need no key, such as the OpenAPI `document`. */
export const layerPublic = (document: CachedResponse) =>
  HttpApiBuilder.group(
    servedApi,
    "public",
    Effect.fnUntraced(function*(handlers) {
      const { isWithdrawn } = yield* Draining
      const { check, market } = yield* Readiness
      const checkReadiness = yield* makeCheck(check)
      const marketDetail = market === undefined ? Effect.succeed({}) : Effect.map(market, (market) => ({ market }))
      return handlers
        .handleRaw("openapi", ({ request }) =>
          Effect.succeed(
            respondFromCache(request, document, "application/json", documentHeaders)
          ))
        .handleRaw("health", () => respondHealth({ status: "ok" }, noStoreHeaders))
        .handleRaw(
          "readiness",
          makeOperation(Effect.fnUntraced(function*() {
            if (yield* isWithdrawn) return yield* new ShuttingDown()
            yield* checkReadiness
            return yield* respondReadiness({ status: "ready", ...(yield* marketDetail) }, noStoreHeaders)
          }))
        )
    })
  )
