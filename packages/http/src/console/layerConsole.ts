import { UnknownAddress } from "@tapeline/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { acceptsEncoding, matchesEtag } from "../cachedResponse.ts"
import { targetOf } from "../requestContext.ts"
import type { Route } from "../requestMiddleware.ts"
import { catchToResponse } from "../responses.ts"

/** A file of the console, as browsers receive the file. */
export interface ConsoleFile {
  /** The path of a console file below `/app/`, without a leading slash, such as `index.html`. */
  readonly path: string
  readonly type: string
  /** An entity tag that changes only if the bytes of the console file change. */
  readonly etag: string
  /** Whether the name of a console file changes with its bytes, so that caches can keep the file forever. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The gzip-compressed bytes of a console file; undefined if compression makes the file no smaller. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}

/**
 * The content security policy of the console. Native form submissions are forbidden, because a browser would put typed
 * text into a URL.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

export const consoleHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

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

const bodyOf = (request: HttpServerRequest.HttpServerRequest, { brotli, bytes, gzip }: ConsoleFile) => {
  const accepted = request.headers["accept-encoding"]
  if (brotli !== undefined && acceptsEncoding("br", accepted)) return { body: brotli, encoding: "br" }
  if (gzip !== undefined && acceptsEncoding("gzip", accepted)) return { body: gzip, encoding: "gzip" }
  return { body: bytes, encoding: undefined }
}

/** Responds with a file: with 304 if the entity tag matches, and compressed if the browser accepts the encoding. */
const fileResponse = (request: HttpServerRequest.HttpServerRequest, file: ConsoleFile) => {
  const { body, encoding } = bodyOf(request, file)
  const headers = {
    ...consoleHeaders,
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    // The entity tag is weak, because the compressed and the plain file have the same tag but different bytes.
    etag: `W/"${file.etag}"`,
    vary: "accept-encoding"
  }
  if (matchesEtag(request.headers["if-none-match"], `"${file.etag}"`)) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return HttpServerResponse.uint8Array(body, {
    contentType: file.type,
    headers: encoding === undefined ? headers : { ...headers, "content-encoding": encoding }
  })
}

/** The path of the admin area of the console. */
export const adminAreaPath = `${consolePath}admin`

const redirectTo = (path: string) =>
  Effect.succeed(
    HttpServerResponse.redirect(path, { status: 302, headers: { ...consoleHeaders, "cache-control": "no-cache" } })
  )

/**
 * Serves the console at `/app/` from `files` in memory, and redirects `/` and `/app` to `homePath`. `files` must
 * contain `index.html`.
 */
export const layerConsole = (files: ReadonlyArray<ConsoleFile>, homePath: string = consolePath) => {
  const redirectToConsole = redirectTo(homePath)
  const byPath = new Map(files.map((file) => [file.path, file]))
  const page = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = decodeURIComponent(targetOf(request).path)
    if (path === consolePathWithoutSlash) return redirectToConsole
    const name = path.slice(consolePath.length)
    const file = byPath.get(name) ?? (isFileName(name) ? undefined : byPath.get("index.html"))
    return file === undefined ? Effect.fail(new UnknownAddress()) : Effect.succeed(fileResponse(request, file))
  })
  return Layer.mergeAll(
    HttpRouter.add("GET", "/", redirectToConsole),
    HttpRouter.add("GET", consolePath, catchToResponse(page)),
    // The pattern of the router also matches the console's path without the final slash.
    HttpRouter.add("GET", `${consolePath}*`, catchToResponse(page))
  )
}
