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

/**
 * Accepts only an endpoint that can have its own route. The endpoint must have exactly the middlewares
 * `CallerMiddlewares` and no query parameters.
 */
type WithoutQueryOrOtherMiddlewares<Endpoint> =
  [HttpApiEndpoint.Middleware<Endpoint>, CallerMiddlewares, HttpApiEndpoint.Query<Endpoint>] extends
    [CallerMiddlewares, HttpApiEndpoint.Middleware<Endpoint>, never] ? unknown
    : { readonly "surrounded by something else, or has a query": HttpApiEndpoint.Middleware<Endpoint> }

/** The services that the router provides to each request. */
type Provided = HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams | HttpRouter.RouteContext

/** A request of an admitted caller. */
export interface CallerRequest<Endpoint> {
  readonly endpoint: Endpoint
  readonly request: HttpServerRequest.HttpServerRequest
  readonly requestContext: RequestContext
  /** The values of the named path segments. */
  readonly params: Readonly<Record<string, string | undefined>>
}

/**
 * Serves one API operation with its own route: authentication, rate limit, query check, and handler. All operations for
 * callers have the same steps in the same order. The operations that receive nearly all requests use their own routes,
 * because separate routes are faster. If `credential` is "key", sessions cannot call the operation.
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
