import { type AnyRequest, CutOff, InvalidRequest, MethodNotAllowed, Stopping, UnknownAddress } from "@tapeline/api"
import type { Message } from "@tapeline/core"
import { Context, Effect, Predicate, type Types } from "effect"
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
import {
  CurrentExchange,
  currentExchange,
  type Exchange,
  exchangeOf,
  hasBody,
  targetOf,
  timesSent
} from "./exchange.ts"
import type { RefusalBy } from "./operation.ts"
import { refusalResponse, respond } from "./refusal.ts"

/** Answers smaller than this, in bytes, are sent as they are. */
const compressFrom = 4096

/** A route's method and its path, as HTTP APIs declare them. */
export interface Route {
  readonly method: string
  readonly path: string
}

/** The routes that an API declares. */
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

/** How routes are found: exactly, in case and in slashes, and a segment may be as long as a request can be. */
export const exactPaths: FindMyWay.RouterConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: Number.MAX_SAFE_INTEGER
}

/** A path of which a router decodes nothing: what it is found by is what was written. */
const asWritten = (path: string): string => path.replace(/[%;#]/g, encodeURIComponent)

/** The methods that routes answer at a path, as `allow` lists them; none when the path is unknown. Paths are exact. */
const allowedMethods = (routes: ReadonlyArray<Route>): (path: string) => ReadonlyArray<string> => {
  const router = FindMyWay.make<true>(exactPaths)
  for (const { method, path } of routes) router.on(method, `/${path.slice(1)}`, true)
  const known = [...new Set(routes.map(({ method }) => method))]
  return (path) => {
    const isFound = (method: string): boolean => {
      const found = router.find(method, asWritten(path))
      // The router lets a segment that is named be empty.
      return found !== undefined && !Object.values(found.params).includes("")
    }
    const methods = new Set(known.filter(isFound))
    if (methods.has("GET")) methods.add("HEAD")
    return [...methods].sort()
  }
}

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest
>
type Surround = (handler: Handler) => Handler

/** What a request is told that the end of the process has cut off: nobody is left to say why. */
const isCutOff = ({ headers, status }: HttpServerResponse.HttpServerResponse): boolean =>
  status === 503 && headers["content-type"] === undefined

const stopping = (exchange: Exchange, refusal: Stopping | CutOff) =>
  HttpServerResponse.setHeader(refusalResponse(exchange, refusal), "connection", "close")

/** True when some of the request's body has not arrived, as far as the platform tells. */
const isUnread = (request: HttpServerRequest.HttpServerRequest): boolean =>
  hasBody(request) && !(Predicate.hasProperty(request.source, "complete") && request.source.complete === true)

/**
 * Gives every request its id and language, and puts both into the headers of whatever answers it. A refusal while the
 * body still comes closes the connection: nobody reads the rest.
 */
const withExchange: Surround = (handler) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const exchange = exchangeOf(request)
    return HttpEffect.withPreResponseHandler(
      Effect.provideService(handler, CurrentExchange, exchange),
      (_, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(isCutOff(response) ? stopping(exchange, new CutOff()) : response, {
          "x-request-id": exchange.requestId,
          "content-language": exchange.language,
          ...(response.status >= 400 && isUnread(request) ? { connection: "close" } : {})
        }))
    )
  })

/** A host, perhaps with a port: a name, or an address in brackets (RFC 9110, 7.2). */
const isHost = (host: string | undefined): boolean =>
  host !== undefined && /^([A-Za-z0-9._~!$&'()*+,;=%-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]*)?$/.test(host)

/** What is wrong with a request's headers as such, if anything is. */
const headerFault = (request: HttpServerRequest.HttpServerRequest): Message | undefined => {
  const isOld = Predicate.hasProperty(request.source, "httpVersion") && request.source.httpVersion === "1.0"
  const hosts = timesSent(request, "host")
  if (hosts > 1 || (hosts === 0 && !isOld) || (hosts === 1 && !isHost(request.headers["host"]))) {
    return { key: "invalid_host" }
  }
  return timesSent(request, "authorization") > 1
    ? { key: "repeated_header", params: { header: "Authorization" } }
    : undefined
}

/** Refuses what different readers of one request could read differently: two hosts, two credentials. */
const withSoundHeaders: Surround = (handler) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const says = headerFault(request)
    if (says === undefined) return handler
    const refusal: RefusalBy<AnyRequest> = new InvalidRequest({ says })
    return respond(Effect.fail(refusal))
  })

/**
 * Takes the path as it is written: nothing in it is decoded, so that one address has one spelling, and a rule of a
 * proxy on that spelling holds.
 */
const withExactPath: Surround = (handler) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const { path, query } = targetOf(request)
    const url = asWritten(path) + query
    return url === request.url
      ? handler
      : Effect.provideService(handler, HttpServerRequest.HttpServerRequest, request.modify({ url }))
  })

/** Answers what no route answers: 404 and 405 as problem details. */
const withUnrouted = (routes: ReadonlyArray<Route>): Surround => {
  const allowed = allowedMethods(routes)
  return (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      respond(Effect.catch(handler, (error: unknown) => {
        if (!HttpServerError.isHttpServerError(error) || error.reason._tag !== "RouteNotFound") return Effect.die(error)
        const allow = allowed(targetOf(request).path)
        return Effect.fail(allow.length === 0 ? new UnknownAddress() : new MethodNotAllowed({ allow }))
      })))
}

/** Refuses requests with 503 once the process is stopping, and closes the connections of those that still run. */
const withDraining = ({ isDraining }: Draining["Service"]): Surround => (handler) =>
  Effect.gen(function*() {
    if (yield* isDraining) return stopping(yield* currentExchange, new Stopping())
    const response = yield* handler
    // A connection that stays open would hold up the end of the process.
    return (yield* isDraining) ? HttpServerResponse.setHeader(response, "connection", "close") : response
  })

/** Lets browsers of these origins call; `*` among them means any. */
const withCors = (origins: ReadonlyArray<string>): Surround =>
  HttpMiddleware.cors({
    // None given to the middleware is any.
    allowedOrigins: origins.includes("*") ? [] : origins,
    allowedMethods: ["GET", "POST", "PATCH", "DELETE"],
    allowedHeaders: [
      "authorization",
      "content-type",
      "idempotency-key",
      "if-none-match",
      "x-lang",
      "x-request-id",
      "last-event-id"
    ],
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
  })

/** Compresses large answers for callers that take them so. */
const withCompression = (platform: HttpPlatform.HttpPlatform["Service"]): Surround => {
  const compress = HttpMiddleware.compression({ minSize: compressFrom })
  return (handler) => Effect.provideService(compress(handler), HttpPlatform.HttpPlatform, platform)
}

/** What surrounds every request, from the inside out. */
export const layerEdge = (
  routes: ReadonlyArray<Route>,
  settings: { readonly corsOrigins: ReadonlyArray<string> }
) =>
  HttpRouter.middleware(
    Effect.map(Effect.context<Draining | HttpPlatform.HttpPlatform>(), (context) => {
      const unrouted = withUnrouted(routes)
      const drained = withDraining(Context.get(context, Draining))
      const compressed = withCompression(Context.get(context, HttpPlatform.HttpPlatform))
      const shared: Surround = settings.corsOrigins.length === 0 ? (handler) => handler : withCors(settings.corsOrigins)
      return (handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        withExchange(compressed(shared(withSoundHeaders(drained(unrouted(withExactPath(handler)))))))
    }),
    { global: true }
  )
