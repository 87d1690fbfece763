import { Effect, Layer, Ref, type Types } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import type { Route } from "../edge.ts"
import { keep, type Kept, keptResponse } from "../kept.ts"
import { judgeQuery } from "../knownQuery.ts"
import { respond } from "../refusal.ts"

/** Where the page of the documentation is. */
export const documentationRoute = { method: "GET", path: "/docs" } as const satisfies Route

/**
 * The page has everything in it. It shares its origin with the console, so no script runs but its own, by SHA-256; it
 * loads nothing, and calls nothing but the service.
 */
const policyOf = (page: string, publicUrl: string | undefined): string => {
  const service = publicUrl === undefined || !URL.canParse(publicUrl) ? "" : ` ${new URL(publicUrl).origin}`
  const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = ""]) =>
    `'sha256-${createHash("sha256").update(script).digest("base64")}'`
  )
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    // The page makes its own style sheets.
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    `connect-src 'self'${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const textOf = (response: HttpServerResponse.HttpServerResponse): Effect.Effect<string> =>
  Effect.promise(() => HttpServerResponse.toWeb(response).text())

type Page = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Types.unhandled,
  HttpServerRequest.HttpServerRequest | HttpServerRequest.ParsedSearchParams
>

interface KeptPage {
  readonly page: Kept
  readonly policy: string
}

/** Keeps the page that the route below it makes, since it is large and the same for everyone. */
const keptPage = (
  publicUrl: string | undefined,
  kept = (text: string): Effect.Effect<KeptPage> =>
    Effect.map(keep(text), (page) => ({ page, policy: policyOf(text, publicUrl) }))
) =>
  HttpRouter.middleware(
    Effect.map(
      Ref.make<KeptPage | undefined>(undefined),
      (page) => (handler: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>): Page =>
        respond(Effect.gen(function*() {
          yield* judgeQuery([])
          const found = (yield* Ref.get(page)) ?? (yield* Effect.flatMap(Effect.flatMap(handler, textOf), kept))
          yield* Ref.set(page, found)
          const request = yield* HttpServerRequest.HttpServerRequest
          const response = keptResponse(request, found.page, "text/html; charset=utf-8", {
            "cache-control": "public, max-age=300"
          })
          return HttpServerResponse.setHeader(response, "content-security-policy", found.policy)
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
