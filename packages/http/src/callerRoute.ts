import type { CommonErrors, KeyAuthorization, RejectUnknownQuery } from "@tapeline/api"
import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { RequestAuthenticator } from "./callers/RequestAuthenticator.ts"
import { checkQueryParameters } from "./queryParameters.ts"
import { callerLogFields, CurrentRequestContext, type RequestContext } from "./requestContext.ts"
import { catchToResponse } from "./responses.ts"

type CallerMiddlewares = CommonErrors | KeyAuthorization | RejectUnknownQuery

interface RoutableEndpoint extends HttpApiEndpoint.ConstraintRequest {
  readonly method: "DELETE" | "GET" | "PATCH" | "POST" | "PUT"
  readonly path: `/${string}`
}

/** Accepts only endpoint types without query parameters and with exactly the middlewares `CallerMiddlewares`. */
type WithoutQueryOrOtherMiddlewares<Endpoint> =
  [HttpApiEndpoint.Middleware<Endpoint>, CallerMiddlewares, HttpApiEndpoint.Query<Endpoint>] extends
    [CallerMiddlewares, HttpApiEndpoint.Middleware<Endpoint>, never] ? unknown
    : { readonly "surrounded by something else, or has a query": HttpApiEndpoint.Middleware<Endpoint> }

type Provided = HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext

/** A request whose caller is authenticated and within the rate limit. */
export interface CallerRequest<Endpoint> {
  readonly endpoint: Endpoint
  readonly request: HttpServerRequest.HttpServerRequest
  readonly requestContext: RequestContext
  readonly params: Readonly<Record<string, string | undefined>>
}

/**
 * Serves one API operation with its own route, because a route is faster than a handler of an API group. `credential`
 * selects whether the route accepts only API keys or also sessions.
 */
export const layerCallerRoute = <Endpoint extends RoutableEndpoint>(
  endpoint: Endpoint & WithoutQueryOrOtherMiddlewares<Endpoint>,
  handler: (request: CallerRequest<Endpoint>) => Effect.Effect<HttpServerResponse.HttpServerResponse>,
  credential: "key or session" | "key" = "key or session"
) =>
  Layer.unwrap(Effect.map(RequestAuthenticator, (requestAuthenticator) => {
    const admit = credential === "key" ? requestAuthenticator.admitKey : requestAuthenticator.admit
    const handle = Effect.contextWith((context: Context.Context<Provided>) => {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      const requestContext = Context.get(context, CurrentRequestContext)
      return Effect.flatMap(admit(request, requestContext), (principal) => {
        const queryError = checkQueryParameters(
          Context.get(context, HttpServerRequest.ParsedSearchParams),
          [],
          requestContext.language
        )
        if (queryError !== undefined) return Effect.fail(queryError)
        const { params } = Context.get(context, HttpRouter.RouteContext)
        return Effect.annotateLogs(
          handler({ endpoint, request, requestContext, params }),
          callerLogFields(principal)
        )
      })
    })
    return HttpRouter.add(endpoint.method, endpoint.path, catchToResponse(handle))
  }))
