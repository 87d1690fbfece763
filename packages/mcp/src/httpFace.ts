import { createMcpHandler } from "@modelcontextprotocol/server"
import { type BridgeOptions, makeServer } from "./bridge.ts"
import type { Service } from "./service.ts"

/** The bridge over streamable HTTP. Requests are independent, and no state is kept between them. */
export interface HttpFace {
  /**
   * Responds to a request. `service` makes the calls of its caller. `body` is its parsed JSON, if it was read already.
   */
  readonly answer: (request: Request, service: Service, body?: unknown) => Promise<Response>
  /** Notifies listening clients (protocol version 2026-07-28) that the list of tools has changed. */
  readonly toolsChanged: () => void
  readonly close: () => Promise<void>
}

/** The options of the bridge over HTTP. */
export interface HttpFaceOptions extends BridgeOptions {
  /** The maximum bytes of a body that the bridge reads. */
  readonly mostBytes?: number | undefined
  /** Whether the bridge sends keep-alive messages. False if the caller does so. */
  readonly keepsAwake?: boolean | undefined
}

/** The maximum number of clients that listen for changes, if changes are reported. */
const mostListening = 64

/**
 * Makes the bridge over HTTP.
 *
 * Clients of protocol versions up to 2025 begin with `initialize`. They cancel a request by a separate message, which
 * this stateless bridge cannot match to the request. By the protocol, their closed connection is only a disconnection.
 * Clients of version 2026-07-28 cancel a request by closing its connection.
 */
export const makeHttpFace = (options: HttpFaceOptions = {}): HttpFace => {
  const { keepsAwake = true, listChanges = false, mostBytes, ...shown } = options
  // The service of each request. The handler makes a separate server for each request.
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
      // The handler passes this object on unchanged and does not use it.
      const authInfo = { token: "", clientId: "", scopes: [] }
      services.set(authInfo, service)
      return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close()
  }
}
