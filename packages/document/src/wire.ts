import { subscribe } from "node:diagnostics_channel"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"
import type { Seen } from "./judge.ts"

/** A request of `fetch`, as undici's diagnostics channels publish it. */
interface Request {
  readonly method: string
  readonly path: string
}

interface Told {
  readonly request: Request
  readonly response: { readonly statusCode: number; readonly headers: ReadonlyArray<Uint8Array> }
  readonly chunk: Uint8Array
}

const decoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync
}

/** Decodes a body. An incomplete encoded body becomes empty. */
const decoded = (body: Uint8Array, encoding: string | undefined, whole: boolean): Uint8Array => {
  const decode = encoding === undefined ? undefined : decoders[encoding]
  if (decode === undefined || body.length === 0) return body
  return whole ? decode(body) : new Uint8Array()
}

const headersOf = (raw: ReadonlyArray<Uint8Array>): Readonly<Record<string, string>> => {
  const texts = raw.map((one) => Buffer.from(one).toString("latin1"))
  return Object.fromEntries(texts.flatMap((name, i) => i % 2 === 0 ? [[name.toLowerCase(), texts[i + 1]!]] : []))
}

/** A response in progress. */
class Coming {
  readonly #request: Request
  readonly #status: number
  readonly #headers: Readonly<Record<string, string>>
  readonly #chunks: Array<Uint8Array> = []
  whole = false

  constructor(request: Request, status: number, headers: Readonly<Record<string, string>>) {
    this.#request = request
    this.#status = status
    this.#headers = headers
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk))
  }

  get seen(): Seen {
    const [headers, { method, path }, { whole }] = [this.#headers, this.#request, this]
    const body = decoded(Buffer.concat(this.#chunks), headers["content-encoding"], whole)
    return { method, path: path.replace(/[?#].*$/, ""), status: this.#status, headers, body, whole }
  }
}

const came = new Map<Request, Coming>()
let watching = false

/**
 * Records all responses to `fetch` calls of this process, whoever makes them. Reads undici's diagnostics channels and
 * changes no request or response.
 */
export const watch = (): void => {
  if (watching) return
  watching = true
  const on = (event: string, hear: (told: Told) => void) =>
    // Node documents the message of each of these channels.
    subscribe(`undici:request:${event}`, (told) => hear(told as Told))
  on("headers", ({ request, response }) => {
    came.set(request, new Coming(request, response.statusCode, headersOf(response.headers)))
  })
  on("bodyChunkReceived", ({ chunk, request }) => came.get(request)?.add(chunk))
  on("trailers", ({ request }) => {
    const coming = came.get(request)
    if (coming !== undefined) coming.whole = true
  })
}

/** Returns the responses since the last call. A response in progress is returned as far as received, and only once. */
export const taken = (): ReadonlyArray<Seen> => {
  const seen = Array.from(came.values(), (coming) => coming.seen)
  came.clear()
  return seen
}
