import { Effect, Layer, Ref, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"
import type { Route } from "../edge.ts"
import { keep, type Kept, keptResponse } from "../kept.ts"
import { judgeQuery } from "../knownQuery.ts"
import { respond } from "../refusal.ts"

/** Where the page of the documentation is. */
export const documentationRoute = { method: "GET", path: "/docs" } as const satisfies Route

/** The page has everything in it; its policy lets it load nothing from elsewhere, and call nothing but the service. */
const policy = (publicUrl: string | undefined): string => {
  const service = publicUrl === undefined || !URL.canParse(publicUrl) ? "" : ` ${new URL(publicUrl).origin}`
  return `default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; connect-src 'self'${service}; frame-ancestors 'none'`
}

const textOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  Effect.promise(() => HttpServerResponse.toWeb(response).text())

type Page = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams
>

/** Keeps the page that the route below it makes, since it is large and the same for everyone. */
const keptPage = (publicUrl: string | undefined) =>
  HttpRouter.middleware(
    Effect.map(
      Ref.make<Kept | undefined>(undefined),
      (page) => (handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>): Page =>
        respond(Effect.gen(function*() {
          yield* judgeQuery([])
          const kept = (yield* Ref.get(page)) ?? (yield* Effect.flatMap(Effect.flatMap(handler, textOf), keep))
          yield* Ref.set(page, kept)
          const request = yield* HttpServerRequest.HttpServerRequest
          const response = keptResponse(request, kept, "text/html; charset=utf-8", {
            "cache-control": "public, max-age=300"
          })
          return HttpServerResponse.setHeader(response, "content-security-policy", policy(publicUrl))
        }))
    )
  ).layer

/** The page on which the API can be read and tried. */
export const layerDocumentation = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  publicUrl: string | undefined
) =>
  HttpApiScalar.layer(api, {
    path: documentationRoute.path,
    scalar: { withDefaultFonts: false, authentication: { preferredSecurityScheme: "key" } }
  }).pipe(Layer.provide(keptPage(publicUrl)))
