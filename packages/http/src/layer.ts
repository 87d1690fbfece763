import { makeApi } from "@tapeline/api"
import { Toolbox } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiScalar } from "effect/http-api"
import { layerAdminAuthorization, layerKeyAuthorization } from "./authorization.ts"
import { layerEdge } from "./edge.ts"
import { layerAdmin } from "./handlers/admin.ts"
import { layerMeta } from "./handlers/meta.ts"
import { layerPublic } from "./handlers/public.ts"
import { layerTools } from "./handlers/tools.ts"

/** Settings of the HTTP adapter. */
export interface HttpSettings {
  /** Origins that browsers may call from; none means no cross-origin calls. */
  readonly corsOrigins: ReadonlyArray<string>
  /** The base of absolute addresses; the request's own host when left out. */
  readonly publicUrl?: string | undefined
}

const layerCors = ({ corsOrigins }: HttpSettings) =>
  corsOrigins.length === 0 ? Layer.empty : HttpRouter.middleware(
    HttpMiddleware.cors({
      allowedOrigins: corsOrigins,
      allowedMethods: ["GET", "POST", "PATCH", "DELETE"],
      allowedHeaders: ["authorization", "content-type", "idempotency-key", "x-lang", "x-request-id", "last-event-id"],
      exposedHeaders: [
        "content-language",
        "etag",
        "idempotent-replayed",
        "ratelimit-limit",
        "ratelimit-remaining",
        "ratelimit-reset",
        "retry-after",
        "x-request-id"
      ],
      maxAge: 600
    }),
    { global: true }
  )

/**
 * The routes of the service, for the tools of the toolbox at hand. Serve them with `HttpRouter.serve`. The middleware
 * added last is the outermost.
 */
export const layerRoutes = (settings: HttpSettings) =>
  Layer.unwrap(Effect.gen(function*() {
    const toolbox = yield* Toolbox
    const api = makeApi(toolbox.tools.map((tool) => tool.specification), settings.publicUrl)
    return Layer.mergeAll(
      HttpApiBuilder.layer(api).pipe(
        Layer.provide([layerMeta(api), layerTools(api), layerPublic(api), layerAdmin(api)]),
        Layer.provide([layerKeyAuthorization, layerAdminAuthorization])
      ),
      HttpApiScalar.layer(api, { path: "/docs" }),
      layerEdge(api),
      layerCors(settings)
    )
  }))
