import { UnknownAddress } from "@tapeline/api"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Route } from "../edge.ts"
import { targetOf } from "../exchange.ts"
import { matches } from "../kept.ts"
import { respond } from "../refusal.ts"
import { takesEncoding } from "../takesEncoding.ts"
import type { ConsoleFile } from "./ConsoleFile.ts"
import { consoleHeaders } from "./policy.ts"

/** The address of the console. */
const home = "/app/"

/** The console's address without its slash. Relative links would be wrong there. */
const bare = "/app"

/** The console's routes. All paths below its address show one page, which does its own routing. */
export const consoleRoutes: ReadonlyArray<Route> = ["/", bare, home, `${home}*`].map((path) => ({
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
  if (brotli !== undefined && takesEncoding("br", accepted)) return { body: brotli, encoding: "br" }
  if (gzip !== undefined && takesEncoding("gzip", accepted)) return { body: gzip, encoding: "gzip" }
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
  if (matches(request.headers["if-none-match"], `"${file.etag}"`)) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return HttpServerResponse.uint8Array(body, {
    contentType: file.type,
    headers: encoding === undefined ? headers : { ...headers, "content-encoding": encoding }
  })
}

const leadsHome = Effect.succeed(
  HttpServerResponse.redirect(home, { status: 302, headers: { ...consoleHeaders, "cache-control": "no-cache" } })
)

/** Serves the console at `/app/` from memory, and redirects `/` to it. `files` must contain `index.html`. */
export const layerConsole = (files: ReadonlyArray<ConsoleFile>) => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const page = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const path = decodeURIComponent(targetOf(request).path)
    if (path === bare) return leadsHome
    const name = path.slice(home.length)
    const file = byPath.get(name) ?? (isFileName(name) ? undefined : byPath.get("index.html"))
    return file === undefined ? Effect.fail(new UnknownAddress()) : Effect.succeed(fileResponse(request, file))
  })
  return Layer.mergeAll(
    HttpRouter.add("GET", "/", leadsHome),
    HttpRouter.add("GET", home, respond(page)),
    // The router also matches the address without its slash with this pattern.
    HttpRouter.add("GET", `${home}*`, respond(page))
  )
}
