import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"
import type { Route } from "../edge.ts"
import { keep, type Kept, keptResponse } from "../kept.ts"
import { judgeQuery } from "../knownQuery.ts"
import { respond } from "../refusal.ts"

/**
 * The routes of the documentation page, of the script that it loads, and of a common address of the OpenAPI document.
 */
const pageRoute = { method: "GET", path: "/docs" } as const satisfies Route
const scriptRoute = { method: "GET", path: "/docs/scalar.js" } as const satisfies Route
const aliasRoute = { method: "GET", path: "/openapi.json" } as const satisfies Route
export const documentationRoutes: ReadonlyArray<Route> = [pageRoute, scriptRoute, aliasRoute]

/** The path of the OpenAPI document. */
const documentPath = "/v1/openapi.json"

/** Loads Scalar's script, which Effect ships only inside a page. */
const loadScalar = Effect.promise(async () => {
  const page = HttpRouter.toWebHandler(HttpApiScalar.layer(HttpApi.make("none"), { path: "/docs" }), {
    disableLogger: true
  })
  const html = await (await page.handler(new Request("http://127.0.0.1/docs"))).text()
  await page.dispose()
  const script = /<script>([^]*?)<\/script>/.exec(html)?.[1]
  if (script === undefined) throw new Error("effect's page of Scalar has no script")
  return script
})

const digestOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`

/** Starts Scalar with the OpenAPI document. The browser may have it in its cache. */
const start = `Scalar.createApiReference(document.getElementById("reference"), ${
  JSON.stringify({
    url: documentPath,
    withDefaultFonts: false,
    authentication: { preferredSecurityScheme: "key" }
  })
})`

const pageOf = (title: string, scalarDigest: string): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>${title.replace(/[&<]/g, (sign) => sign === "&" ? "&amp;" : "&lt;")}</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="${scriptRoute.path}" integrity="${scalarDigest}"></script>
    <script>${start}</script>
  </body>
</html>
`

/** The page shares its origin with the console, so only its two scripts run, by SHA-256. It calls only the service. */
const policyOf = (scalarDigest: string, publicUrl: string | undefined): string => {
  const service = publicUrl === undefined || !URL.canParse(publicUrl) ? "" : ` ${new URL(publicUrl).origin}`
  return [
    "default-src 'none'",
    `script-src '${scalarDigest}' '${digestOf(start)}'`,
    // Scalar creates its own style sheets.
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    `connect-src 'self'${service}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The page that shows the API and can call it. The page, the script and the document are cached separately. */
export const layerDocumentation = (title: string, publicUrl: string | undefined) =>
  Layer.unwrap(Effect.gen(function*() {
    // Loaded at the first request, because most services never show the page.
    const loaded = yield* Effect.cached(Effect.gen(function*() {
      const scalar = yield* loadScalar
      const digest = digestOf(scalar)
      return {
        script: yield* keep(scalar),
        page: yield* keep(pageOf(title, digest)),
        policy: policyOf(digest, publicUrl)
      }
    }))
    /** A cached response that browsers revalidate before each use: after an upgrade, the page must match its script. */
    const answer = (of: "page" | "script", contentType: string) =>
      respond(Effect.gen(function*() {
        yield* judgeQuery([])
        const request = yield* HttpServerRequest.HttpServerRequest
        const found = yield* loaded
        const kept: Kept = found[of]
        const response = keptResponse(request, kept, contentType, { "cache-control": "no-cache" })
        return HttpServerResponse.setHeader(response, "content-security-policy", found.policy)
      }))
    return Layer.mergeAll(
      HttpRouter.add("GET", pageRoute.path, answer("page", "text/html; charset=utf-8")),
      HttpRouter.add("GET", scriptRoute.path, answer("script", "text/javascript; charset=utf-8")),
      HttpRouter.add(
        "GET",
        aliasRoute.path,
        respond(Effect.as(judgeQuery([]), HttpServerResponse.redirect(documentPath, { status: 308 })))
      )
    )
  }))
