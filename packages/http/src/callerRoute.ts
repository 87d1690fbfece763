import type { AnyRequest, KeyAuthorization, KnownQuery } from "@tapeline/api"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { WhoCalls } from "./callers/WhoCalls.ts"
import { CurrentExchange, type Exchange, loggedCaller } from "./exchange.ts"
import { queryFault } from "./knownQuery.ts"
import { respond } from "./refusal.ts"

/** The middlewares of a caller's operation. */
type Surround = AnyRequest | KeyAuthorization | KnownQuery

/** An endpoint with the properties that a route needs. */
interface Routed extends HttpApiEndpoint.ConstraintRequest {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: `/${string}`
}

/** An endpoint that can have its own route: its middlewares are exactly `Surround`, and it declares no query. */
type Servable<Endpoint> = [HttpApiEndpoint.Middleware<Endpoint>, Surround, HttpApiEndpoint.Query<Endpoint>] extends
  [Surround, HttpApiEndpoint.Middleware<Endpoint>, never] ? unknown
  : { readonly "surrounded by something else, or has a query": HttpApiEndpoint.Middleware<Endpoint> }

/** The services that the router provides for a request. */
type Provided = HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext

/** A request of an admitted caller. */
export interface CallerRequest<Endpoint> {
  readonly endpoint: Endpoint
  readonly request: HttpServerRequest.HttpServerRequest
  readonly exchange: Exchange
  /** The named segments of the path. */
  readonly params: Readonly<Record<string, string | undefined>>
}

/**
 * Serves one API operation by its own route, in one pass: authentication, rate limit, query, handler. All operations
 * for callers have these steps in this order. The operations that receive nearly all requests are served this way. If
 * `by` is "key", sessions cannot call the operation.
 */
export const layerCallerRoute = <Endpoint extends Routed>(
  endpoint: Endpoint & Servable<Endpoint>,
  handler: (request: CallerRequest<Endpoint>) => Effect.Effect<HttpServerResponse.HttpServerResponse>,
  by: "key or session" | "key" = "key or session"
) =>
  Layer.unwrap(Effect.map(WhoCalls, (whoCalls) => {
    const admit = by === "key" ? whoCalls.admitKey : whoCalls.admit
    const answer = Effect.contextWith((context: Context.Context<Provided>) => {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const exchange = Context.get(context, CurrentExchange)
      return Effect.flatMap(admit(request, exchange), (principal) => {
        const fault = queryFault(Context.get(context, HttpServerRequest.ParsedSearchParams), [], exchange.language)
        if (fault !== undefined) return Effect.fail(fault)
        const { params } = Context.get(context, HttpRouter.RouteContext)
        return Effect.annotateLogs(
          handler({ endpoint, request, exchange, params }),
          loggedCaller(principal)
        )
      })
    })
    return HttpRouter.add(endpoint.method, endpoint.path, respond(answer))
  }))
