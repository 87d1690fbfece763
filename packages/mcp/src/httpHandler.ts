import { createMcpHandler } from "@modelcontextprotocol/server"
import { type BridgeOptions, makeServer } from "./makeServer.ts"
import type { Service } from "./service.ts"

/** Handles MCP requests over streamable HTTP without state between requests. */
export interface McpHttpHandler {
  /**
   * Responds to an MCP request by calling `service`. `body` is the parsed JSON of the request, if the caller has
   * already read the body.
   */
  readonly handle: (request: Request, service: Service, body?: unknown) => Promise<Response>
  /** Notifies listening clients (protocol version 2026-07-28) that the list of tools has changed. */
  readonly notifyToolsChanged: () => void
  readonly close: () => Promise<void>
}

/** The options of the MCP bridge over HTTP. */
export interface McpHttpHandlerOptions extends BridgeOptions {
  /** The maximum size of a request body, in bytes. */
  readonly maxBodyBytes?: number | undefined
  /** If true, the MCP bridge sends keep-alive messages. If false, the bridge's caller must send keep-alive messages. */
  readonly sendsKeepAlive?: boolean | undefined
}

/** The maximum number of clients that listen for changes of the tool list. */
const maxListeners = 64

/**
 * Makes a handler that serves the MCP bridge over HTTP. For clients of protocol versions up to 2025, a closed
 * connection is only a disconnection. The stateless bridge cannot match the cancellation message of an older client to
 * a request. Clients of protocol version 2026-07-28 cancel a request by closing the connection.
 */
export const makeMcpHttpHandler = (options: McpHttpHandlerOptions = {}): McpHttpHandler => {
  const { sendsKeepAlive = true, listChanges = false, maxBodyBytes, ...serverOptions } = options
  // The handler creates a separate MCP server for each request, and needs the `Service` of the request's caller.
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
      // `authInfo` is only the key of the map `services`. The MCP handler passes `authInfo` on without reading it.
      const authInfo = { token: "", clientId: "", scopes: [] }
      services.set(authInfo, service)
      return handler.fetch(request, { authInfo, ...(body === undefined ? {} : { parsedBody: body }) })
    },
    notifyToolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close()
  }
}
