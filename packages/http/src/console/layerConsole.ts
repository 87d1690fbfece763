import { UnknownAddress } from "@tapeline/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { acceptsEncoding, matchesEtag } from "../cachedResponse.ts"
import { targetOf } from "../requestContext.ts"
import type { Route } from "../requestMiddleware.ts"
import { catchToResponse } from "../responses.ts"

/** A file of the console, as browsers receive it. */
export interface ConsoleFile {
  /** The path below `/app/`, without a leading slash, such as `index.html`. */
  readonly path: string
  /** The media type, with a charset for texts. */
  readonly type: string
  /** A tag that changes only with the file's bytes. */
  readonly etag: string
  /** Whether the name changes with the bytes, so that caches can keep the file forever. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The compressed bytes, if they are fewer. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}

/**
 * The content security policy of the console. Scripts, styles and fonts come only from this service, and none are
 * inline. Images can also come from data that the page received. Nothing may be framed. Browsers may not submit forms
 * themselves, because that would put typed text into an address.
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

/** Headers of all files of the console. */
export const consoleHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/** The address of the console. */
const consolePath = "/app/"

/** The console's address without its slash. Relative links would be wrong there. */
const consolePathWithoutSlash = "/app"

/** The console's routes. All paths below its address show one page, which does its own routing. */
export const consoleRoutes: ReadonlyArray<Route> = ["/", consolePathWithoutSlash, consolePath, `${consolePath}*`].map((
  path
) => ({
  method: "GET",
  path
}))

/**
 * Whether a path can only be a file's name, so that it gets a 404 if the file no longer exists. Top-level paths with an
 * extension are file names. In deeper paths, a dot is part of the page's path.
 */
const isFileName = (path: string): boolean => /^assets\/|^[^/]*\.[A-Za-z0-9]+$/.test(path)

const bodyOf = (request: HttpServerRequest.HttpServerRequest, { brotli, bytes, gzip }: ConsoleFile) => {
  const accepted = request.headers["accept-encoding"]
  if (brotli !== undefined && acceptsEncoding("br", accepted)) return { body: brotli, encoding: "br" }
  if (gzip !== undefined && acceptsEncoding("gzip", accepted)) return { body: gzip, encoding: "gzip" }
  return { body: bytes, encoding: undefined }
}

/** The response with a file: 304 if the browser already has it, and compressed if the browser accepts that. */
const fileResponse = (request: HttpServerRequest.HttpServerRequest, file: ConsoleFile) => {
  const { body, encoding } = bodyOf(request, file)
  const headers = {
    ...consoleHeaders,
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    // All forms share one tag, so the tag is weak.
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

const redirectToConsole = Effect.succeed(
  HttpServerResponse.redirect(consolePath, { status: 302, headers: { ...consoleHeaders, "cache-control": "no-cache" } })
)

/** Serves the console at `/app/` from memory, and redirects `/` to it. `files` must contain `index.html`. */
export const layerConsole = (files: ReadonlyArray<ConsoleFile>) => {
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
    // The router also matches the address without its slash with this pattern.
    HttpRouter.add("GET", `${consolePath}*`, catchToResponse(page))
  )
}
