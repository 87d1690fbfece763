import type { makeApi } from "@tapeline/api"
import { Context, Effect, Layer, Ref, type Types } from "effect"
import {
  HttpEffect,
  HttpMiddleware,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { HttpApi } from "effect/http-api"
import { CurrentExchange, currentExchange, type Exchange, exchangeOf, pathOf } from "./exchange.ts"
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

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest
>
type Surround = (handler: Handler) => Handler

/** What a request is told that the end of the process has cut off: nobody is left to say why. */
const isCutOff = ({ headers, status }: HttpServerResponse.HttpServerResponse): boolean =>
  status === 503 && headers["content-type"] === undefined

const unavailable = (exchange: Exchange) =>
  problemResponse(exchange, {
    code: "unavailable",
    detail: { key: "unavailable" },
    headers: { "retry-after": "1", connection: "close" }
  })

/** Gives every request its id and language, and puts both into the headers of whatever answers it. */
const withExchange: Surround = (handler) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const exchange = exchangeOf(request)
    return HttpEffect.withPreResponseHandler(
      Effect.provideService(handler, CurrentExchange, exchange),
      (_, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(isCutOff(response) ? unavailable(exchange) : response, {
          "x-request-id": exchange.requestId,
          "content-language": exchange.language
        }))
    )
  })

/** Answers what no route answers: 404 and 405 as problem details. */
const withUnrouted = (api: ReturnType<typeof makeApi>): Surround => {
  const allowed = allowedMethods(api)
  return (handler) =>
    respond(Effect.catch(handler, (error: unknown) => {
      if (!HttpServerError.isHttpServerError(error) || error.reason._tag !== "RouteNotFound") return Effect.die(error)
      const methods = allowed(pathOf(error.request))
      const allow = methods.join(", ")
      return Effect.map(currentExchange, (exchange) =>
        methods.length === 0
          ? problemResponse(exchange, { code: "not_found", detail: { key: "not_found" } })
          : problemResponse(exchange, {
            code: "method_not_allowed",
            detail: { key: "method_not_allowed", params: { allow } },
            headers: { allow }
          }))
    }))
}

/** Refuses requests with 503 once the process is stopping, and closes the connections of those that still run. */
const withDraining = ({ isDraining }: Draining["Service"]): Surround => (handler) =>
  Effect.gen(function*() {
    if (yield* isDraining) {
      return unavailable(yield* currentExchange)
    }
    const response = yield* handler
    // A connection that stays open would hold up the end of the process.
    return (yield* isDraining) ? HttpServerResponse.setHeader(response, "connection", "close") : response
  })

/** Lets browsers of these origins call. */
const withCors = (origins: ReadonlyArray<string>): Surround =>
  HttpMiddleware.cors({
    allowedOrigins: origins,
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
  })

/** What surrounds every request, from the inside out. */
export const layerEdge = (api: ReturnType<typeof makeApi>, settings: { readonly corsOrigins: ReadonlyArray<string> }) =>
  HttpRouter.middleware(
    Effect.map(Draining, (draining) => {
      const unrouted = withUnrouted(api)
      const drained = withDraining(draining)
      const shared: Surround = settings.corsOrigins.length === 0 ? (handler) => handler : withCors(settings.corsOrigins)
      return (handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
        withExchange(shared(drained(unrouted(handler))))
    }),
    { global: true }
  )
