import { UnknownAddress } from "@tapeline/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { targetOf } from "./requestContext.ts"
import type { Route } from "./requestMiddleware.ts"
import { catchToResponse } from "./responses.ts"
import { fileResponse, securityHeaders, type StaticFile } from "./staticFiles.ts"

/**
 * The headers of the documentation site. Its scripts are files of the site, because the site has the same origin as the
 * console. The colours of highlighted code are style attributes.
 */
const siteHeaders = securityHeaders([
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
])

const sitePath = "/docs/guide/"
const sitePathWithoutSlash = "/docs/guide"

/** The routes of the documentation site. */
export const documentationSiteRoutes: ReadonlyArray<Route> = [sitePathWithoutSlash, sitePath, `${sitePath}*`].map((
  path
) => ({ method: "GET", path }))

const redirectToSite = HttpServerResponse.redirect(sitePath, {
  status: 302,
  headers: { ...siteHeaders, "cache-control": "no-cache" }
})

/** Serves the documentation site at `/docs/guide/` from `files` in memory. Missing pages get the site's `404.html`. */
export const layerDocumentationSite = (files: ReadonlyArray<StaticFile>) => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const page = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = decodeURIComponent(targetOf(request).path)
    if (path === sitePathWithoutSlash) return Effect.succeed(redirectToSite)
    const name = path.slice(sitePath.length)
    const file = byPath.get(name === "" || name.endsWith("/") ? `${name}index.html` : name)
    if (file !== undefined) return Effect.succeed(fileResponse(request, file, siteHeaders))
    const missing = byPath.get("404.html")
    return missing === undefined
      ? Effect.fail(new UnknownAddress())
      : Effect.succeed(fileResponse(request, missing, siteHeaders, { status: 404 }))
  })
  return Layer.mergeAll(
    HttpRouter.add("GET", sitePath, catchToResponse(page)),
    // The pattern of the router also matches the site's path without the final slash.
    HttpRouter.add("GET", `${sitePath}*`, catchToResponse(page))
  )
}
