import { sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"

/** Returns whether an `Accept-Encoding` header contains an encoding with a quality that is not 0 (RFC 9110, 12.5.3). */
export const acceptsEncoding = (name: "br" | "gzip", acceptEncoding: string | undefined): boolean =>
  acceptEncoding !== undefined &&
  new RegExp(`(^|,)\\s*${name}\\s*(,|$|;\\s*q=(?!0(\\.0*)?\\s*(,|$)))`, "i").test(acceptEncoding)

const parseQuality = (parameters: ReadonlyArray<string>): number => {
  const q = parameters.map((parameter) => /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(parameter.trim())?.[1]).find(
    Boolean
  )
  return q === undefined ? 1 : Number(q)
}

/**
 * Rates how exactly a media range matches a media type: 2 for an equal type, 1 for `type/*`, 0 for a range of all
 * types, undefined for no match.
 */
const specificityOf = (range: string, type: string): number | undefined =>
  range === type ? 2 : range === `${type.split("/")[0]}/*` ? 1 : range === "*/*" ? 0 : undefined

/**
 * Returns the media type of `types` that an `Accept` header prefers (RFC 9110, 12.5.1). Without a preferred type,
 * returns the first of `types`.
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
    let bestMatch = { specificity: -1, q: 0 }
    for (const { name, q } of ranges) {
      const specificity = specificityOf(name, type)
      if (specificity !== undefined && specificity > bestMatch.specificity) bestMatch = { specificity, q }
    }
    return bestMatch.q
  }
  let chosen = types[0]
  for (const type of types) if (qualityOf(type) > qualityOf(chosen)) chosen = type
  return chosen
}

/** A response that is compressed once and sent to many callers. */
export interface CachedResponse {
  readonly text: string
  readonly gzipped: Uint8Array
  readonly etag: string
}

const compress = promisify(gzip)

/** Compresses a text in another thread, and computes the entity tag of the text. */
export const prepareCachedResponse = Effect.fnUntraced(function*(text: string): Effect.fn.Return<CachedResponse> {
  const gzipped = yield* Effect.promise(() => compress(text))
  return { text, gzipped, etag: `"${(yield* sha256(text)).slice(0, 32)}"` }
})

/** Returns whether an `If-None-Match` header contains an entity tag. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag))

/** Responds with a cached response: with 304 if the entity tag matches, and compressed if the caller accepts gzip. */
export const respondFromCache = (
  request: HttpServerRequest.HttpServerRequest,
  { etag, gzipped, text }: CachedResponse,
  contentType: string,
  headers: { readonly "cache-control": string; readonly vary?: string }
): HttpServerResponse.HttpServerResponse => {
  const vary = headers.vary === undefined ? "accept-encoding" : `${headers.vary}, accept-encoding`
  // The entity tag is weak, because the compressed and the plain response have the same tag but different bytes.
  const commonHeaders = { ...headers, vary, etag: `W/${etag}` }
  if (matchesEtag(request.headers["if-none-match"], etag)) {
    return HttpServerResponse.empty({ status: 304, headers: commonHeaders })
  }
  return acceptsEncoding("gzip", request.headers["accept-encoding"])
    ? HttpServerResponse.uint8Array(gzipped, { contentType, headers: { ...commonHeaders, "content-encoding": "gzip" } })
    : HttpServerResponse.text(text, { contentType, headers: commonHeaders })
}
