import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { acceptsEncoding, matchesEtag } from "./cachedResponse.ts"

/** A file that browsers receive as it is, such as a file of the console. */
export interface StaticFile {
  /** The path of a file below the path of its pages, without a leading slash, such as `index.html`. */
  readonly path: string
  readonly type: string
  /** An entity tag that changes only if the bytes of the file change. */
  readonly etag: string
  /** Whether the name of a file changes with its bytes, so that caches can keep the file forever. */
  readonly immutable: boolean
  readonly bytes: Uint8Array
  /** The gzip-compressed bytes of a file; undefined if compression makes the file no smaller. */
  readonly gzip?: Uint8Array | undefined
  readonly brotli?: Uint8Array | undefined
}

/** Returns the headers of pages, of their files, and of redirects to them, with a content security policy. */
export const securityHeaders = (policy: ReadonlyArray<string>): Readonly<Record<string, string>> => ({
  "content-security-policy": policy.join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

const bodyOf = (request: HttpServerRequest.HttpServerRequest, { brotli, bytes, gzip }: StaticFile) => {
  const accepted = request.headers["accept-encoding"]
  if (brotli !== undefined && acceptsEncoding("br", accepted)) return { body: brotli, encoding: "br" }
  if (gzip !== undefined && acceptsEncoding("gzip", accepted)) return { body: gzip, encoding: "gzip" }
  return { body: bytes, encoding: undefined }
}

/**
 * Responds with a file: with 304 if the entity tag matches, and compressed if the browser accepts the encoding. A
 * `status` other than 200 is sent with the file. `vary` names the request headers that select the file.
 */
export const fileResponse = (
  request: HttpServerRequest.HttpServerRequest,
  file: StaticFile,
  ownHeaders: Readonly<Record<string, string>>,
  { status = 200, vary = "accept-encoding" }: { readonly status?: number; readonly vary?: string } = {}
): HttpServerResponse.HttpServerResponse => {
  const { body, encoding } = bodyOf(request, file)
  const headers = {
    ...ownHeaders,
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
    // The entity tag is weak, because the compressed and the plain file have the same tag but different bytes.
    etag: `W/"${file.etag}"`,
    vary
  }
  if (status === 200 && matchesEtag(request.headers["if-none-match"], `"${file.etag}"`)) {
    return HttpServerResponse.empty({ status: 304, headers })
  }
  return HttpServerResponse.uint8Array(body, {
    status,
    contentType: file.type,
    headers: encoding === undefined ? headers : { ...headers, "content-encoding": encoding }
  })
}
