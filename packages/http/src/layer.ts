import { documented, makeApi, makeCallerApi, servedAdministrationApi, servedApi, servedToolsApi } from "@tapeline/api"
import { Toolbox } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { layerAdminAuthorization, layerKeyAuthorization } from "./authorization.ts"
import { exactPaths, layerEdge, routesOf } from "./edge.ts"
import { layerAdmin } from "./handlers/admin.ts"
import { layerCharts } from "./handlers/charts.ts"
import { documentationRoute, layerDocumentation } from "./handlers/documentation.ts"
import { layerMeta } from "./handlers/meta.ts"
import { layerPublic } from "./handlers/public.ts"
import { layerTools } from "./handlers/tools.ts"
import { keep } from "./kept.ts"
import { layerAnyRequest, layerKnownQuery } from "./knownQuery.ts"

/** Settings of the HTTP adapter. */
export interface HttpSettings {
  /** Origins that browsers may call from, `*` for any; none means no cross-origin calls. */
  readonly corsOrigins: ReadonlyArray<string>
  /** The base of absolute addresses; the request's own host when left out. */
  readonly publicUrl?: string | undefined
  /**
   * Where administration and metrics are answered: beside the callers' routes, as when this is left out, or elsewhere,
   * by a second server with `layerAdministrationRoutes`. Then these routes know nothing of them.
   */
  readonly administration?: "here" | "elsewhere" | undefined
}

const administration = HttpApiBuilder.layer(servedAdministrationApi).pipe(
  Layer.provide(layerAdmin),
  Layer.provide([layerAdminAuthorization, layerKnownQuery, layerAnyRequest])
)

/** The routes of the service, for the tools of the toolbox at hand. Serve them with `serve`. */
export const layerRoutes = (settings: HttpSettings) =>
  Layer.unwrap(Effect.gen(function*() {
    const { administration: where = "here", publicUrl } = settings
    const specifications = (yield* Toolbox).tools.map((tool) => tool.specification)
    const callers = documented(makeCallerApi(specifications, publicUrl))
    const whole = documented(makeApi(specifications, publicUrl))
    const document = yield* keep(JSON.stringify(where === "here" ? OpenApi.fromApi(whole) : OpenApi.fromApi(callers)))
    const routes = [...routesOf(servedApi), ...routesOf(servedToolsApi), documentationRoute]
    return Layer.mergeAll(
      HttpApiBuilder.layer(servedApi).pipe(
        Layer.provide([layerMeta, layerCharts, layerPublic(document)]),
        Layer.provide([layerKeyAuthorization, layerKnownQuery, layerAnyRequest])
      ),
      layerTools(publicUrl),
      where === "here" ? administration : Layer.empty,
      where === "here" ? layerDocumentation(whole, publicUrl) : layerDocumentation(callers, publicUrl),
      layerEdge(where === "here" ? [...routes, ...routesOf(servedAdministrationApi)] : routes, settings)
    )
  }))

/** Administration and metrics alone, for a server of their own. Serve them with `serve`. */
export const layerAdministrationRoutes = Layer.mergeAll(
  administration,
  layerEdge(routesOf(servedAdministrationApi), { corsOrigins: [] })
)

/** Serves routes, whose paths are exact. */
export const serve = <A, E, R>(routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: exactPaths
  })
