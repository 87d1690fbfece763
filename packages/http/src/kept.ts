import { sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { takesEncoding } from "./takesEncoding.ts"

/** An answer that stays the same for many callers: kept with its tag, and compressed once. */
export interface Kept {
  readonly text: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const compress = promisify(gzip)

/** Keeps `text`. Compressing takes a while, on another thread: do it once. */
export const keep = Effect.fnUntraced(function*(text: string): Effect.fn.Return<Kept> {
  const gzipped = yield* Effect.promise(() => compress(text))
  return { text, gzipped, etag: `"${(yield* sha256(text)).slice(0, 32)}"` }
})

/** True when a caller has what is tagged so. */
export const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** A kept answer as this request wants it: 304 when the caller has it already, compressed where it takes that. */
export const keptResponse = (
  request: HttpServerRequest.HttpServerRequest,
  { etag, gzipped, text }: Kept,
  contentType: string,
  headers: { readonly "cache-control": string; readonly vary?: string }
): HttpServerResponse.HttpServerResponse => {
  const vary = headers.vary === undefined ? "accept-encoding" : `${headers.vary}, accept-encoding`
  // Both forms carry one tag, so it is a weak one: the same answer, not the same bytes.
  const common = { ...headers, vary, etag: `W/${etag}` }
  if (matches(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: common })
  return takesEncoding("gzip", request.headers["accept-encoding"])
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...common, "content-encoding": "gzip" } })
    : HttpServerResponse.text(text, { contentType, headers: common })
}
