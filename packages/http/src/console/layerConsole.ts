import { UnknownAddress } from "@tapeline/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { targetOf } from "../requestContext.ts"
import type { Route } from "../requestMiddleware.ts"
import { catchToResponse } from "../responses.ts"
import { fileResponse, securityHeaders, type StaticFile } from "../staticFiles.ts"
import { type HtmlPage, makeHtmlPages, pagesFolder } from "./htmlPages.ts"

/**
 * The content security policy of the console. Native form submissions are forbidden, because a browser would put typed
 * text into a URL. Inline scripts and styles are allowed only in the HTML of a page, by their digests.
 */
const contentSecurityPolicy = (
  { scriptDigests, styleDigests }: Pick<HtmlPage, "scriptDigests" | "styleDigests">
): ReadonlyArray<string> => [
  "default-src 'none'",
  ["script-src 'self'", ...scriptDigests].join(" "),
  ["style-src 'self'", ...styleDigests].join(" "),
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
]

const headersWith = (digests: Pick<HtmlPage, "scriptDigests" | "styleDigests">) =>
  securityHeaders(contentSecurityPolicy(digests))

const consoleHeaders = headersWith({ scriptDigests: [], styleDigests: [] })

const consolePath = "/app/"

/**
 * The path of the console without the final slash. The server redirects `/app` to `/app/`, because relative links of a
 * page at `/app` would be wrong.
 */
const consolePathWithoutSlash = "/app"

/** The routes of the console. A path below `/app/` returns a file, or else the page with client-side routing. */
export const consoleRoutes: ReadonlyArray<Route> = ["/", consolePathWithoutSlash, consolePath, `${consolePath}*`].map((
  path
) => ({
  method: "GET",
  path
}))

/**
 * Returns whether a path of the console can only be the name of a file. For a missing file, the server returns a 404
 * instead of the page of the console.
 */
const isFileName = (path: string): boolean => /^assets\/|^[^/]*\.[A-Za-z0-9]+$/.test(path)

/** The path of the admin area of the console. */
export const adminAreaPath = `${consolePath}admin`

const redirectTo = (path: string) =>
  Effect.succeed(
    HttpServerResponse.redirect(path, { status: 302, headers: { ...consoleHeaders, "cache-control": "no-cache" } })
  )

/**
 * Serves the console at `/app/` from `files` in memory, and redirects `/` and `/app` to `homePath`. `files` must
 * contain `index.html`, which every page without its own HTML uses.
 */
export const layerConsole = (files: ReadonlyArray<StaticFile>, homePath: string = consolePath) => {
  const redirectToConsole = redirectTo(homePath)
  const byPath = new Map(files.filter(({ path }) => !path.startsWith(pagesFolder)).map((file) => [file.path, file]))
  const htmlPages = makeHtmlPages(files)
  const page = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = decodeURIComponent(targetOf(request).path)
    if (path === consolePathWithoutSlash) return redirectToConsole
    const name = path.slice(consolePath.length)
    const html = isFileName(name) ? undefined : htmlPages.find(name, request.headers)
    if (html !== undefined) {
      const headers = { ...headersWith(html), "content-language": html.language }
      return Effect.succeed(
        fileResponse(request, html.file, headers, { vary: "accept-encoding, accept-language, cookie" })
      )
    }
    const file = byPath.get(name) ?? (isFileName(name) ? undefined : byPath.get("index.html"))
    return file === undefined
      ? Effect.fail(new UnknownAddress())
      : Effect.succeed(fileResponse(request, file, consoleHeaders))
  })
  return Layer.mergeAll(
    HttpRouter.add("GET", "/", redirectToConsole),
    HttpRouter.add("GET", consolePath, catchToResponse(page)),
    // The pattern of the router also matches the console's path without the final slash.
    HttpRouter.add("GET", `${consolePath}*`, catchToResponse(page))
  )
}
