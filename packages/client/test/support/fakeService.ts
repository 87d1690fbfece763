import { createClientWithPlatform } from "../../src/createClient.ts"
import type { ClientSettings } from "../../src/index.ts"
import { VirtualPlatform } from "./VirtualPlatform.ts"

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string | undefined
  readonly signal: AbortSignal
  /** The time of a received request in ms since the client was created. */
  readonly atMs: number
}

/**
 * The function with which the fake service responds to a request. If the function throws an error, the connection
 * breaks.
 */
export type Responder = (request: ReceivedRequest, number: number) => Response | Promise<Response>

export const key = "tl_live_a-key-that-stands-in-no-text"

export const makeTestClient = (respond: Responder, settings: Partial<ClientSettings> = {}) => {
  const time = new VirtualPlatform()
  const startedAtMs = time.monotonicMs()
  const requests: Array<ReceivedRequest> = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const request: ReceivedRequest = {
      method: init?.method ?? "GET",
      path: url.pathname + url.search,
      headers: new Headers(init?.headers),
      body: typeof init?.body === "string" ? init.body : undefined,
      // The cast is safe because the client gives every request a signal.
      signal: init?.signal as AbortSignal,
      atMs: time.monotonicMs() - startedAtMs
    }
    requests.push(request)
    request.signal.throwIfAborted()
    const aborted = new Promise<never>((_, reject) => {
      request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true })
    })
    aborted.catch(() => undefined)
    return await Promise.race([respond(request, requests.length - 1), aborted])
  }
  return {
    client: createClientWithPlatform(time, { url: "https://tapeline.example", key, fetch, ...settings }),
    requests: requests,
    time
  }
}

export const jsonResponse = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": status < 400 ? "application/json" : "application/problem+json", ...headers }
  })

export const problemResponse = (
  status: number,
  code: string,
  fields: object = {},
  headers: Readonly<Record<string, string>> = {}
): Response =>
  jsonResponse(
    {
      type: `urn:tapeline:problem:${code}`,
      title: "Refused",
      status,
      detail: `refused: ${code}`,
      code,
      request_id: "r",
      ...fields
    },
    status,
    headers
  )

export const failFetch = (reason = "read ECONNRESET"): never => {
  throw new TypeError("fetch failed", { cause: new Error(reason) })
}

export const neverResolve = (): Promise<never> => new Promise(() => undefined)

export const envelopeResponse = (data: unknown = { ok: true }, callId?: string) =>
  jsonResponse(
    { tool: "get_price", credits_used: 1, credits_left: 99, took_ms: 1, data },
    200,
    callId === undefined ? {} : { "tapeline-call-id": callId }
  )

/**
 * Returns a response whose event stream sends the given parts one by one, and then ends completely, breaks, or stays
 * silent.
 */
export const streamResponse = (
  parts: ReadonlyArray<Uint8Array | string>,
  end: "whole" | "broken" | "silent" = "whole",
  headers: Readonly<Record<string, string>> = {}
): Response => {
  const remaining = parts.map((part) => typeof part === "string" ? new TextEncoder().encode(part) : part)
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = remaining.shift()
      if (next !== undefined) return controller.enqueue(next)
      if (end === "silent") return new Promise(() => undefined)
      return end === "whole" ? controller.close() : controller.error(new TypeError("terminated"))
    }
  }, { highWaterMark: 0 })
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8", ...headers } })
}
