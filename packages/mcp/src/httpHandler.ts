import { createMcpHandler } from "@modelcontextprotocol/server"
import { type BridgeOptions, makeServer } from "./makeServer.ts"
import type { Service } from "./service.ts"

/** The bridge over streamable HTTP. Requests are independent, and no state is kept between them. */
export interface McpHttpHandler {
  /**
   * Responds to a request. `service` makes the calls of its caller. `body` is its parsed JSON, if it was read already.
   */
  readonly handle: (request: Request, service: Service, body?: unknown) => Promise<Response>
  /** Notifies listening clients (protocol version 2026-07-28) that the list of tools has changed. */
  readonly notifyToolsChanged: () => void
  readonly close: () => Promise<void>
}

/** The options of the bridge over HTTP. */
export interface McpHttpHandlerOptions extends BridgeOptions {
  /** The maximum bytes of a body that the bridge reads. */
  readonly maxBodyBytes?: number | undefined
  /** Whether the bridge sends keep-alive messages. False if the caller does so. */
  readonly sendsKeepAlive?: boolean | undefined
}

/** The maximum number of clients that listen for changes, if changes are reported. */
const maxListeners = 64

/**
 * Makes the bridge over HTTP.
 *
 * Clients of protocol versions up to 2025 begin with `initialize`. They cancel a request by a separate message, which
 * this stateless bridge cannot match to the request. By the protocol, their closed connection is only a disconnection.
 * Clients of version 2026-07-28 cancel a request by closing its connection.
 */
export const makeMcpHttpHandler = (options: McpHttpHandlerOptions = {}): McpHttpHandler => {
  const { sendsKeepAlive = true, listChanges = false, maxBodyBytes, ...serverOptions } = options
  // The service of each request. The handler makes a separate server for each request.
  const services = new WeakMap<object, Service>()
  const handler = createMcpHandler((context) => {
    const service = context.authInfo && services.get(context.authInfo)
    if (service === undefined) throw new Error("the request has no caller")
    const isModern = context.era === "modern"
    return makeServer(service, {
      ...serverOptions,
      listChanges: listChanges && isModern,
      isDisconnectOnClose: !isModern
    })
  }, {
    maxSubscriptions: listChanges ? maxListeners : 0,
    ...(sendsKeepAlive ? {} : { keepAliveMs: 0 }),
    ...(maxBodyBytes === undefined ? {} : { maxRequestBodySize: maxBodyBytes })
  })
  return {
    handle: (request, service, body) => {
      // The handler passes this object on unchanged and does not use it.
      const authInfo = { token: "", clientId: "", scopes: [] }
      services.set(authInfo, service)
      return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
    },
    notifyToolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close()
  }
}
