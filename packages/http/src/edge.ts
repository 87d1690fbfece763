import type { makeApi } from "@tapeline/api"
import { Context, Effect, Layer, Ref, type Types } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi } from "effect/http-api"
import { CurrentExchange, exchangeOf, pathOf } from "./exchange.ts"
import { problemResponse } from "./problem.ts"
import { respond } from "./refusal.ts"

/** Whether this process has begun to stop: it finishes what runs and refuses what comes. */
export class Draining extends Context.Service<Draining, {
  readonly begin: Effect.Effect<void>
  readonly isDraining: Effect.Effect<boolean>
}>()("@tapeline/http/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.effect(
    Draining,
    Effect.map(Ref.make(false), (draining) => ({
      begin: Ref.set(draining, true),
      isDraining: Ref.get(draining)
    }))
  )
}

/** The methods that an API answers at a path, as `allow` lists them; none when the path is unknown. */
export const allowedMethods = (api: ReturnType<typeof makeApi>): (path: string) => ReadonlyArray<string> => {
  const routes: Array<{ readonly method: string; readonly form: RegExp }> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const form = endpoint.path.replace(/[.]/g, "\\.").replace(/:[a-z_]+/gi, "[^/]+")
      routes.push({ method: endpoint.method, form: new RegExp(`^${form}/?$`, "i") })
    }
  })
  routes.push({ method: "GET", form: /^\/docs\/?$/i })
  return (path) => {
    const methods = new Set(routes.filter(({ form }) => form.test(path)).map(({ method }) => method))
    if (methods.has("GET")) methods.add("HEAD")
    return [...methods].sort()
  }
}

/**
 * What surrounds every request: its id and language in the headers of every response, 404 and 405 as problem details,
 * and 503 once the process is stopping.
 */
export const layerEdge = (api: ReturnType<typeof makeApi>) =>
  HttpRouter.middleware(
    Effect.gen(function*() {
      const draining = yield* Draining
      const allowed = allowedMethods(api)

      return (
        handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>
      ): Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled, HttpServerRequest.HttpServerRequest> =>
        Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const exchange = exchangeOf(request)
          const answer = (yield* draining.isDraining)
            ? Effect.succeed(problemResponse(exchange, {
              code: "unavailable",
              detail: { key: "unavailable" },
              headers: { "retry-after": "1" }
            }))
            : respond(Effect.catch(handler, (error: unknown) => {
              if (!HttpServerError.isHttpServerError(error) || error.reason._tag !== "RouteNotFound") return Effect.die(error)
              const methods = allowed(pathOf(request))
              const allow = methods.join(", ")
              return Effect.succeed(
                methods.length === 0
                  ? problemResponse(exchange, { code: "not_found", detail: { key: "not_found" } })
                  : problemResponse(exchange, {
                    code: "method_not_allowed",
                    detail: { key: "method_not_allowed", params: { allow } },
                    headers: { allow }
                  })
              )
            }))
          const response = yield* Effect.provideService(answer, CurrentExchange, exchange)
          return HttpServerResponse.setHeaders(response, {
            "x-request-id": exchange.requestId,
            "content-language": exchange.language,
            // A connection that stays open would hold up the end of the process.
            ...((yield* draining.isDraining) ? { connection: "close" } : {})
          })
        })
    }),
    { global: true }
  )
