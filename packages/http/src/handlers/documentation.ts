import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import { type CachedResponse, prepareCachedResponse, respondFromCache } from "../cachedResponse.ts"
import { rejectUnknownQuery } from "../queryParameters.ts"
import type { Route } from "../requestMiddleware.ts"
import { catchToResponse } from "../responses.ts"

const pageRoute = { method: "GET", path: "/docs" } as const satisfies Route
const scriptRoute = { method: "GET", path: "/docs/scalar.js" } as const satisfies Route
const aliasRoute = { method: "GET", path: "/openapi.json" } as const satisfies Route
export const documentationRoutes: ReadonlyArray<Route> = [pageRoute, scriptRoute, aliasRoute]

const documentPath = "/v1/openapi.json"
export const documentHeaders = { "cache-control": "public, max-age=300" }

/** The routes of a server whose API has no operation that returns the OpenAPI document. */
export const adminDocumentationRoutes: ReadonlyArray<Route> = [
  ...documentationRoutes,
  { method: "GET", path: documentPath }
]

/** Serves the OpenAPI document of a server whose API has no operation for the document. */
export const layerDocument = (document: CachedResponse) =>
  HttpRouter.add(
    "GET",
    documentPath,
    catchToResponse(Effect.gen(function*() {
      yield* rejectUnknownQuery([])
      const request = yield* HttpServerRequest.HttpServerRequest
      return respondFromCache(request, document, "application/json", documentHeaders)
    }))
  )

/**
 * Loads the script of the API viewer Scalar. The package `effect` contains the script of Scalar only inside an HTML
 * page.
 */
const loadScalarScript = Effect.promise(async () => {
  const page = HttpRouter.toWebHandler(HttpApiScalar.layer(HttpApi.make("none"), { path: "/docs" }), {
    disableLogger: true
  })
  const html = await (await page.handler(new Request("http://127.0.0.1/docs"))).text()
  await page.dispose()
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1]
  if (script === undefined) throw new Error("the Scalar page of effect contains no script")
  return script
})

const computeIntegrityDigest = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`

const startScript = `Scalar.createApiReference(document.getElementById("reference"), ${
  JSON.stringify({
    url: documentPath,
    withDefaultFonts: false,
    authentication: { preferredSecurityScheme: "key" }
  })
})`

const renderPage = (title: string, scalarDigest: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title.replace(/[&<]/g, (character) => character === "&" ? "&amp;" : "&lt;")}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="${scriptRoute.path}" integrity="${scalarDigest}"></script>
    <script>${startScript}</script>
  </body>
</html>
`

/**
 * Returns the content security policy of the documentation page. The page may run only its two scripts, because the
 * page has the same origin as the console.
 */
const contentSecurityPolicy = (scalarDigest: string, publicUrl: string | undefined): string => {
  const service = publicUrl === undefined || !URL.canParse(publicUrl) ? "" : ` ${new URL(publicUrl).origin}`
  return [
    "default-src 'none'",
    `script-src '${scalarDigest}' '${computeIntegrityDigest(startScript)}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    `connect-src 'self'${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The routes of the documentation page, from which users can call the API. */
export const layerDocumentation = (title: string, publicUrl: string | undefined) =>
  Layer.unwrap(Effect.gen(function*() {
    // The assets are loaded at the first request, because most services never show the page.
    const assets = yield* Effect.cached(Effect.gen(function*() {
      const scalar = yield* loadScalarScript
      const digest = computeIntegrityDigest(scalar)
      return {
        script: yield* prepareCachedResponse(scalar),
        page: yield* prepareCachedResponse(renderPage(title, digest)),
        policy: contentSecurityPolicy(digest, publicUrl)
      }
    }))
    /**
     * Serves an asset that browsers revalidate before each use. Revalidation keeps the page and its script at the same
     * version after an upgrade.
     */
    const serveAsset = (asset: "page" | "script", contentType: string) =>
      catchToResponse(Effect.gen(function*() {
        yield* rejectUnknownQuery([])
        const request = yield* HttpServerRequest.HttpServerRequest
        const loadedAssets = yield* assets
        const cached: CachedResponse = loadedAssets[asset]
        const response = respondFromCache(request, cached, contentType, { "cache-control": "no-cache" })
        return HttpServerResponse.setHeader(response, "content-security-policy", loadedAssets.policy)
      }))
    return Layer.mergeAll(
      HttpRouter.add("GET", pageRoute.path, serveAsset("page", "text/html; charset=utf-8")),
      HttpRouter.add("GET", scriptRoute.path, serveAsset("script", "text/javascript; charset=utf-8")),
      HttpRouter.add(
        "GET",
        aliasRoute.path,
        catchToResponse(Effect.as(rejectUnknownQuery([]), HttpServerResponse.redirect(documentPath, { status: 308 })))
      )
    )
  }))
