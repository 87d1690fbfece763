import { sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { takesEncoding } from "./takesEncoding.ts"

/** A response that stays the same for many callers. It is stored with its tag, and compressed once. */
export interface Kept {
  readonly text: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const compress = promisify(gzip)

/** Prepares `text` as a kept response. Call it once per text, because compression takes time on another thread. */
export const keep = Effect.fnUntraced(function*(text: string): Effect.fn.Return<Kept> {
  const gzipped = yield* Effect.promise(() => compress(text))
  return { text, gzipped, etag: `"${(yield* sha256(text)).slice(0, 32)}"` }
})

/** Whether the caller already has the response with this tag. */
export const matches = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** The response to a request: 304 if the caller already has it, and compressed if the caller accepts gzip. */
export const keptResponse = (
  request: HttpServerRequest.HttpServerRequest,
  { etag, gzipped, text }: Kept,
  contentType: string,
  headers: { readonly "cache-control": string; readonly vary?: string }
): HttpServerResponse.HttpServerResponse => {
  const vary = headers.vary === undefined ? "accept-encoding" : `${headers.vary}, accept-encoding`
  // The compressed and the plain form share one tag. The tag is therefore weak: same response, other bytes.
  const common = { ...headers, vary, etag: `W/${etag}` }
  if (matches(request.headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: common })
  return takesEncoding("gzip", request.headers["accept-encoding"])
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...common, "content-encoding": "gzip" } })
    : HttpServerResponse.text(text, { contentType, headers: common })
}
