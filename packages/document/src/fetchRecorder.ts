import { subscribe } from "node:diagnostics_channel"
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"
import type { RecordedResponse } from "./responseValidation.ts"

interface Request {
  readonly method: string
  readonly path: string
}

interface UndiciMessage {
  readonly request: Request
  readonly response: { readonly statusCode: number; readonly headers: ReadonlyArray<Uint8Array> }
  readonly chunk: Uint8Array
}

const decoders: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync
}

/** Decompresses a response body, or returns no bytes if a compressed body is incomplete. */
const decodeBody = (body: Uint8Array, encoding: string | undefined, isComplete: boolean): Uint8Array => {
  const decode = encoding === undefined ? undefined : decoders[encoding]
  if (decode === undefined || body.length === 0) return body
  return isComplete ? decode(body) : new Uint8Array()
}

const parseRawHeaders = (raw: ReadonlyArray<Uint8Array>): Readonly<Record<string, string>> => {
  const texts = raw.map((one) => Buffer.from(one).toString("latin1"))
  return Object.fromEntries(texts.flatMap((name, i) => i % 2 === 0 ? [[name.toLowerCase(), texts[i + 1]!]] : []))
}

class ResponseRecorder {
  readonly #request: Request
  readonly #status: number
  readonly #headers: Readonly<Record<string, string>>
  readonly #chunks: Array<Uint8Array> = []
  isComplete = false

  constructor(request: Request, status: number, headers: Readonly<Record<string, string>>) {
    this.#request = request
    this.#status = status
    this.#headers = headers
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(Uint8Array.from(chunk))
  }

  get recorded(): RecordedResponse {
    const [headers, { method, path }, { isComplete }] = [this.#headers, this.#request, this]
    const body = decodeBody(Buffer.concat(this.#chunks), headers["content-encoding"], isComplete)
    return { method, path: path.replace(/[?#].*$/, ""), status: this.#status, headers, body, isComplete }
  }
}

const recorders = new Map<Request, ResponseRecorder>()
let isRecording = false

/** Records all responses to `fetch` calls of the process by listening to undici's diagnostics channels. */
export const startRecording = (): void => {
  if (isRecording) return
  isRecording = true
  const onUndiciEvent = (event: string, handle: (message: UndiciMessage) => void) =>
    // The Node documentation specifies the message type of each undici channel.
    subscribe(`undici:request:${event}`, (message) => handle(message as UndiciMessage))
  onUndiciEvent("headers", ({ request, response }) => {
    recorders.set(request, new ResponseRecorder(request, response.statusCode, parseRawHeaders(response.headers)))
  })
  onUndiciEvent("bodyChunkReceived", ({ chunk, request }) => recorders.get(request)?.add(chunk))
  onUndiciEvent("trailers", ({ request }) => {
    const recorder = recorders.get(request)
    if (recorder !== undefined) recorder.isComplete = true
  })
}

/**
 * Returns the responses recorded since the last call of `takeRecorded`. A response that is still arriving is returned
 * with the bytes received so far. Later calls never return the remaining bytes of a response that was returned
 * incomplete.
 */
export const takeRecorded = (): ReadonlyArray<RecordedResponse> => {
  const responses = Array.from(recorders.values(), (recorder) => recorder.recorded)
  recorders.clear()
  return responses
}
