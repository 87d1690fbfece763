import { sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

/** Whether a caller accepts an encoding: the header names it, and its quality is not 0 (RFC 9110, 12.5.3). */
export const acceptsEncoding = (name: "br" | "gzip", acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new RegExp(`(^|,)\\s*${name}\\s*(,|$|;\\s*q=(?!0(\\.0*)?\\s*(,|$)))`, "i").test(acceptEncoding)

/** The quality of a media type in an `Accept` header (RFC 9110, 12.5.1). */

const parseQuality = (parameters: ReadonlyArray<string>): number => {
  const q = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(parameter.trim())?.[1]).find(
    Boolean
  )
  return q === undefined ? 1 : Number(q)
}

/**
 * How exactly a range matches a type: 2 by name, 1 by kind, 0 if the range matches all types; undefined if it does not
 * match.
 */
const specificityOf = (range: string, type: string): number | undefined =>
  range === type ? 2 : range === `${type.split("/")[0]}/*` ? 1 : range === "*/*" ? 0 : undefined

/**
 * Returns the type that a caller prefers. Among equally preferred types it is the first of `types`. Also returns the
 * first if the caller accepts none of the types, or sends no header: a response is more useful than an error.
 */
export const preferredType = <const Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...ReadonlyArray<Type>]
): Type => {
  if (accept === undefined) return types[0]
  const ranges = accept.split(",").map((range) => {
    const [name = "", ...parameters] = range.split(";")
    return { name: name.trim().toLowerCase(), q: parseQuality(parameters) }
  })
  const qualityOf = (type: string): number => {
    let bestMatch = { exactness: -1, q: 0 }
    for (const { name, q } of ranges) {
      const specificity = specificityOf(name, type)
      if (specificity !== undefined && specificity > bestMatch.exactness) bestMatch = { exactness: specificity, q }
    }
    return bestMatch.q
  }
  let chosen = types[0]
  for (const type of types) if (qualityOf(type) > qualityOf(chosen)) chosen = type
  return chosen
}

/** A response that stays the same for many callers. It is stored with its tag, and compressed once. */
export interface CachedResponse {
  readonly text: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const compress = promisify(gzip)

/** Prepares `text` as a kept response. Call it once per text, because compression takes time on another thread. */
export const prepareCachedResponse = Effect.fnUntraced(function*(text: string): Effect.fn.Return<CachedResponse> {
  const gzipped = yield* Effect.promise(() => compress(text))
  return { text, gzipped, etag: `"${(yield* sha256(text)).slice(0, 32)}"` }
})

/** Whether the caller already has the response with this tag. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** The response to a request: 304 if the caller already has it, and compressed if the caller accepts gzip. */
export const respondFromCache = (
  request: HttpServerRequest.HttpServerRequest,
  { etag, gzipped, text }: CachedResponse,
  contentType: string,
  headers: { readonly "cache-control": string; readonly vary?: string }
): HttpServerResponse.HttpServerResponse => {
  const vary = headers.vary === undefined ? "accept-encoding" : `${headers.vary}, accept-encoding`
  // The compressed and the plain form share one tag. The tag is therefore weak: same response, other bytes.
  const commonHeaders = { ...headers, vary, etag: `W/${etag}` }
  if (matchesEtag(request.headers["if-none-match"], etag)) {
    return HttpServerResponse.empty({ status: 304, headers: commonHeaders })
  }
  return acceptsEncoding("gzip", request.headers["accept-encoding"])
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...commonHeaders, "content-encoding": "gzip" } })
    : HttpServerResponse.text(text, { contentType, headers: commonHeaders })
}
