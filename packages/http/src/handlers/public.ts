import type { makeApi } from "@tapeline/api"
import type { StoreUnavailable } from "@tapeline/core"
import { Context, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { respond } from "../refusal.ts"

/** Whether what the service stands on is there: the database answers and its migrations are done. */
export class Readiness extends Context.Service<Readiness, {
  readonly check: Effect.Effect<void, StoreUnavailable>
}>()("@tapeline/http/Readiness") {}

export const layerPublic = (api: ReturnType<typeof makeApi>) =>
  HttpApiBuilder.group(
    api,
    "public",
    Effect.fnUntraced(function*(handlers) {
      const readiness = yield* Readiness
      const document = HttpServerResponse.text(JSON.stringify(OpenApi.fromApi(api)), {
        contentType: "application/json",
        headers: { "cache-control": "public, max-age=300" }
      })
      return handlers
        .handleRaw("openapi", () => Effect.succeed(document))
        .handleRaw("health", () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" })))
        .handleRaw("readiness", () =>
          respond(Effect.as(readiness.check, HttpServerResponse.jsonUnsafe({ status: "ready" }))))
    })
  )
