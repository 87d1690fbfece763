import { makeApi } from "@tapeline/api"
import { Toolbox } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
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

/** The page of the documentation has everything in it; its policy lets it fetch from nowhere else. */
const selfContained = HttpRouter.middleware((handler) =>
  Effect.map(
    handler,
    HttpServerResponse.setHeader(
      "content-security-policy",
      "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'"
    )
  )
).layer

/**
 * The routes of the service, for the tools of the toolbox at hand. Serve them with `HttpRouter.serve`.
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
      HttpApiScalar.layer(api, {
        path: "/docs",
        scalar: { withDefaultFonts: false, authentication: { preferredSecurityScheme: "key" } }
      }).pipe(Layer.provide(selfContained)),
      layerEdge(api, settings)
    )
  }))
