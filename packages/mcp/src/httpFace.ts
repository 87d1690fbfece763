import { createMcpHandler } from "@modelcontextprotocol/server"
import { type BridgeOptions, makeServer } from "./bridge.ts"
import type { Service } from "./service.ts"

/** The bridge over streamable HTTP: each request stands for itself, and nothing is kept between two. */
export interface HttpFace {
  /** Answers a request. `service` is what its caller may call; `body` is its JSON, where that was read already. */
  readonly answer: (request: Request, service: Service, body?: unknown) => Promise<Response>
  /** Tells clients that listen (2026-07-28) that the list of tools has changed. */
  readonly toolsChanged: () => void
  readonly close: () => Promise<void>
}

/** How requests are answered over HTTP. */
export interface HttpFaceOptions extends BridgeOptions {
  /** Bytes of a body that is read here. */
  readonly mostBytes?: number | undefined
  /** False where the caller keeps streams awake by itself. */
  readonly keepsAwake?: boolean | undefined
}

/** So many clients may listen for changes at a time, where there is anything to listen for. */
const mostListening = 64

/**
 * Clients of 2025 and before begin with `initialize`, and may give a request up only by a message of its own, which
 * nothing connects with it here: one that breaks off has only left, as the protocol has it. Clients of 2026-07-28 give
 * a request up by closing it.
 */
export const makeHttpFace = (options: HttpFaceOptions = {}): HttpFace => {
  const { keepsAwake = true, listChanges = false, mostBytes, ...shown } = options
  // A request's own service: the handler knows requests, and makes a server for each.
  const services = new WeakMap<object, Service>()
  const handler = createMcpHandler((context) => {
    const service = context.authInfo && services.get(context.authInfo)
    if (service === undefined) throw new Error("the request has no caller")
    const isModern = context.era === "modern"
    return makeServer(service, { ...shown, listChanges: listChanges && isModern, leaving: !isModern })
  }, {
    maxSubscriptions: listChanges ? mostListening : 0,
    ...(keepsAwake ? {} : { keepAliveMs: 0 }),
    ...(mostBytes === undefined ? {} : { maxRequestBodySize: mostBytes })
  })
  return {
    answer: (request, service, body) => {
      // What the handler passes on untouched, and knows nothing else of.
      const authInfo = { token: "", clientId: "", scopes: [] }
      services.set(authInfo, service)
      return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close()
  }
}
