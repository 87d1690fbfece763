import {
  callHeaderNames,
  type CommonErrors,
  CutOff,
  InvalidRequest,
  MethodNotAllowed,
  Stopping,
  UnknownAddress
} from "@tapeline/api"
import type { Message } from "@tapeline/core"
import { Cause, Context, Effect, Predicate, Result, type Types } from "effect"
import {
  FindMyWay,
  HttpEffect,
  HttpMiddleware,
  HttpPlatform,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { Draining } from "./Draining.ts"
import { countRejection, makeResponseCounter, unmatchedRoute } from "./metrics.ts"
import {
  contextHeadersOf,
  CurrentRequestContext,
  hasBody,
  makeRequestContext,
  type RequestContext,
  requestLogFields,
  targetOf
} from "./requestContext.ts"
import { failureResponse, type MiddlewareRejection, problemResponse } from "./responses.ts"

const minCompressedBytes = 4096

const isSmallJson = ({ body, headers }: HttpServerResponse.HttpServerResponse): boolean =>
  body._tag === "Uint8Array" && body.contentLength < minCompressedBytes && headers["content-encoding"] === undefined &&
  (headers["content-type"] === "application/json" || headers["content-type"] === "application/problem+json")

/**
 * Adds `Accept-Encoding` to a `Vary` header, even for small responses, because caches must know that larger responses
 * may be compressed.
 */
const varyByEncoding = (vary: string | undefined): string =>
  vary === undefined ? "Accept-Encoding" : /accept-encoding|\*/i.test(vary) ? vary : `${vary}, Accept-Encoding`

export interface Route {
  readonly method: string
  readonly path: string
}

export const routesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Route> => {
  const routes: Array<Route> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => void routes.push({ method, path })
  })
  return routes
}

/** The router options for exact matching of paths: case and slashes matter, and path segments can have any length. */
export const exactPaths: FindMyWay.RouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: Number.MAX_SAFE_INTEGER
}

/** Escapes a path so that the router matches the path as written, without decoding. */
const escapePath = (path: string): string => /[%;#]/.test(path) ? path.replace(/[%;#]/g, encodeURIComponent) : path

interface RouteFinder {
  /** Returns the pattern of the matching route, such as `POST /v1/tools/{name}`, or undefined if no route matches. */
  readonly patternOf: (method: string, path: string) => string | undefined
  /** Returns the methods that a path supports, for the `Allow` header; empty for an unknown path. */
  readonly allowedMethodsOf: (path: string) => ReadonlyArray<string>
}

const routePatternOf = ({ method, path }: Route): string => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`

const makeRouteFinder = (routes: ReadonlyArray<Route>): RouteFinder => {
  const router = FindMyWay.make<string>(exactPaths)
  for (const route of routes) router.on(route.method, `/${route.path.slice(1)}`, routePatternOf(route))
  const declaredMethods = [...new Set(routes.map(({ method }) => method))]
  const patternOf: RouteFinder["patternOf"] = (method, path) => {
    const found = router.find(method === "HEAD" ? "GET" : method, escapePath(path))
    // The router accepts an empty path parameter, which no route allows.
    return found === undefined || Object.values(found.params).includes("") ? undefined : found.handler
  }
  return {
    patternOf,
    allowedMethodsOf: (path) => {
      const matchingMethods = new Set(declaredMethods.filter((method) => patternOf(method, path) !== undefined))
      if (matchingMethods.has("GET")) matchingMethods.add("HEAD")
      return [...matchingMethods].sort()
    }
  }
}

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest
>
type Middleware = (handler: Handler) => Handler

/** Returns whether a response has no content because the end of the process interrupted the request. */
const isInterruptedResponse = ({ headers, status }: HttpServerResponse.HttpServerResponse): boolean =>
  status === 503 && headers["content-type"] === undefined

const closeConnection = HttpServerResponse.setHeader("connection", "close")

const hasUnreadBody = (request: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(request) && !(Predicate.hasProperty(request.source, "complete") && request.source.complete === true)

const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/.test(host)

const invalidHeaderMessage = (
  { headers, source }: HttpServerRequest.HttpServerRequest,
  { headerCounts }: RequestContext
): Message | undefined => {
  const version = Predicate.hasProperty(source, "httpVersion") ? source.httpVersion : "1.1"
  const isHttp10 = version === "1.0"
  // Node's parser also accepts the versions 0.9 and 2.0 in the first line of a request.
  if (version !== "1.1" && !isHttp10) return { key: "malformed_request" }
  if (
    headerCounts.host > 1 || (headerCounts.host === 0 && !isHttp10) ||
    (headerCounts.host === 1 && !isHost(headers["host"]))
  ) {
    return { key: "invalid_host" }
  }
  // Node would not decode another transfer coding, and the body would be read as if it were plain.
  const coding = headers["transfer-encoding"]
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") return { key: "malformed_request" }
  return headerCounts.authorization > 1 ? { key: "repeated_header", params: { header: "Authorization" } } : undefined
}

const isRouteNotFound = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Cause.findError(cause)
  return Result.isSuccess(failure) && HttpServerError.isHttpServerError(failure.success) &&
    failure.success.reason._tag === "RouteNotFound"
}

type RequestMiddleware = (
  handler: Handler,
  request: HttpServerRequest.HttpServerRequest,
  requestContext: RequestContext
) => Handler

/**
 * Rejects requests that two readers could interpret differently, such as requests with two hosts or two credentials.
 * While the process is stopping, new requests are rejected with 503. The path of a request is matched without decoding,
 * because a second spelling of a path could bypass an access rule of a proxy.
 */
const withRoutes =
  ({ allowedMethodsOf }: RouteFinder, { isDraining }: Draining["Service"]): RequestMiddleware =>
  (handler, request, requestContext) => {
    const message = invalidHeaderMessage(request, requestContext)
    if (message !== undefined) {
      const error: MiddlewareRejection<CommonErrors> = new InvalidRequest({ callerMessage: message })
      // Node closes the connection after the response, and drops requests that were sent after the rejected one.
      return Effect.succeed(closeConnection(problemResponse(requestContext, error)))
    }
    const { path, query } = targetOf(request)
    const url = escapePath(path) + query
    const routedHandler = url === request.url
      ? handler
      : Effect.provideService(handler, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    const routeResponse = Effect.catchCause(routedHandler, (cause: Cause.Cause<unknown>) => {
      if (!isRouteNotFound(cause)) return failureResponse(requestContext, cause)
      const allowedMethods = allowedMethodsOf(path)
      return failureResponse(
        requestContext,
        Cause.fail(allowedMethods.length === 0 ? new UnknownAddress() : new MethodNotAllowed({ allow: allowedMethods }))
      )
    })
    return Effect.flatMap(
      isDraining,
      (isStopping) => isStopping ? Effect.succeed(problemResponse(requestContext, new Stopping())) : routeResponse
    )
  }

/**
 * Adds the headers of the request context to a response, and closes the connection after the response if the request
 * body is still arriving.
 */
const addContextHeaders = (
  request: HttpServerRequest.HttpServerRequest,
  requestContext: RequestContext,
  response: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  if (isInterruptedResponse(response)) {
    requestContext.rateLimit = undefined
    return addContextHeaders(request, requestContext, closeConnection(problemResponse(requestContext, new CutOff())))
  }
  const { "cache-control": cacheControl, "content-language": contentLanguage, vary } = response.headers
  const contextHeaders = contextHeadersOf(requestContext)
  if (cacheControl !== undefined) contextHeaders["cache-control"] = cacheControl
  if (contentLanguage !== undefined) contextHeaders["content-language"] = contentLanguage
  if (requestContext.sessionCookieHeader !== undefined) {
    contextHeaders["set-cookie"] = requestContext.sessionCookieHeader
  }
  if (isSmallJson(response)) contextHeaders["vary"] = varyByEncoding(vary)
  if (response.status >= 400 && hasUnreadBody(request)) contextHeaders["connection"] = "close"
  return HttpServerResponse.setHeaders(response, contextHeaders)
}

/**
 * Renews the session token and completes a response, directly before the response's headers are written. The session
 * token is not renewed earlier, because a slow response could replace a newer token in the browser. If a client uses an
 * older token, the session ends as stolen.
 */
const completeResponse = (
  request: HttpServerRequest.HttpServerRequest,
  requestContext: RequestContext,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  requestContext.tokenRenewal === undefined || requestContext.sessionCookieHeader !== undefined
    ? Effect.succeed(addContextHeaders(request, requestContext, response))
    : Effect.map(requestContext.tokenRenewal, () => addContextHeaders(request, requestContext, response))

const withCors = (origins: ReadonlyArray<string>): Middleware =>
  HttpMiddleware.cors({
    // For Effect's CORS middleware, an empty list means all origins.
    allowedOrigins: origins.includes("*") ? [] : origins,
    allowedMethods: ["GET", "POST", "PATCH", "DELETE"],
    allowedHeaders: [
      ...callHeaderNames,
      "authorization",
      "content-type",
      "if-none-match",
      "last-event-id",
      // The headers of clients of the Model Context Protocol, for `/mcp`.
      "mcp-method",
      "mcp-name",
      "mcp-protocol-version"
    ],
    exposedHeaders: [
      "content-language",
      "etag",
      "idempotent-replayed",
      "ratelimit-limit",
      "ratelimit-remaining",
      "ratelimit-reset",
      "retry-after",
      "tapeline-call-id",
      "x-request-id"
    ],
    maxAge: 600
  })

const withCompression = (platform: HttpPlatform.HttpPlatform["Service"]): Middleware => {
  const compress = HttpMiddleware.compression({ minSize: minCompressedBytes })
  return (handler) =>
    Effect.flatMap(handler, (response) =>
      isSmallJson(response)
        ? Effect.succeed(response)
        : Effect.provideService(compress(Effect.succeed(response)), HttpPlatform.HttpPlatform, platform))
}

/** The middleware of all requests, which creates the request context and adds its headers to each response. */
export const layerRequestMiddleware = (
  routes: ReadonlyArray<Route>,
  settings: { readonly corsOrigins: ReadonlyArray<string> }
) =>
  HttpRouter.middleware(
    Effect.gen(function*() {
      const finder = makeRouteFinder(routes)
      const countResponse = yield* makeResponseCounter(routes.map(routePatternOf))
      const draining = yield* Draining
      const withRouting = withRoutes(finder, draining)
      const compress = withCompression(yield* HttpPlatform.HttpPlatform)
      const withOrigins: Middleware = settings.corsOrigins.length === 0
        ? (handler) => handler
        : withCors(settings.corsOrigins)
      return (handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
          const request = Context.get(context, HttpServerRequest.HttpServerRequest)
          const requestContext = makeRequestContext(request)
          const countMetrics = ({ status }: HttpServerResponse.HttpServerResponse): void => {
            const { rejectionCode } = requestContext
            const route = finder.patternOf(request.method, targetOf(request).path) ?? unmatchedRoute
            countResponse(route, status, context)
            // Proxies request the readiness every second, so it would hide the rejections of callers.
            const isRejection = rejectionCode !== undefined && status >= 400 && route !== "GET /readyz"
            if (isRejection) countRejection(rejectionCode, context)
          }
          HttpEffect.appendPreResponseHandlerUnsafe(
            context,
            (_, response) =>
              Effect.flatMap(completeResponse(request, requestContext, response), (completed) => {
                countMetrics(completed)
                // A connection that stays open would delay the end of the process. A proxy could also send a request on
                // the connection while the process closes it.
                return Effect.map(
                  draining.isWithdrawn,
                  (isClosing) => isClosing ? closeConnection(completed) : completed
                )
              })
          )
          return compress(withOrigins(withRouting(handler, request, requestContext))).pipe(
            Effect.annotateLogs(requestLogFields(request, requestContext)),
            Effect.provideService(CurrentRequestContext, requestContext)
          )
        })
    }),
    { global: true }
  )
