import { HealthBody, type MarketReadiness, NotReady, ReadinessBody, servedApi } from "@tapeline/api"
import type { StoreUnavailable } from "@tapeline/core"
import { Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type CachedResponse, respondFromCache } from "../cachedResponse.ts"
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

const noStoreHeaders = { "cache-control": "no-store" }

/** The handlers of the operations that need no key, such as the OpenAPI `document`. */
export const layerPublic = (document: CachedResponse) =>
  HttpApiBuilder.group(
    servedApi,
    "public",
    Effect.fnUntraced(function*(handlers) {
      const { check, market } = yield* Readiness
      const marketDetail = market === undefined ? Effect.succeed({}) : Effect.map(market, (market) => ({ market }))
      return handlers
        .handleRaw("openapi", ({ request }) =>
          Effect.succeed(
            respondFromCache(request, document, "application/json", documentHeaders)
          ))
        .handleRaw("health", () => respondHealth({ status: "ok" }, noStoreHeaders))
        .handleRaw(
          "readiness",
          makeOperation(() =>
            Effect.andThen(
              Effect.mapError(check, (cause) => new NotReady({ dependency: cause.store, cause })),
              Effect.flatMap(marketDetail, (detail) => respondReadiness({ status: "ready", ...detail }, noStoreHeaders))
            )
          )
        )
    })
  )
