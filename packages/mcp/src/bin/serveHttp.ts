import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse
} from "@modelcontextprotocol/server"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { McpHttpHandler } from "../httpHandler.ts"
import type { Service } from "../service.ts"

/** The path of the bridge. */
export const mcpPath = "/mcp"

/** The maximum bytes of a message. A question has at most 32,000 characters, and arguments are shorter. */
export const maxMessageBytes = 256 * 1024

const toHeaders = ({ headers }: IncomingMessage): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result.set(name, Array.isArray(value) ? value.join(", ") : value)
  }
  return result
}

// The same web stream, which has different types for Node and for browsers.
const toBody = (request: IncomingMessage) => Readable.toWeb(request) as unknown as ReadableStream<Uint8Array>

/** Converts a request of Node. It is aborted if its connection closes before the response is complete. */
const toRequest = (request: IncomingMessage, response: ServerResponse): Request => {
  const disconnection = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) disconnection.abort(new Error("the client disconnected"))
  })
  const method = request.method ?? "GET"
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(new URL(mcpPath, "http://127.0.0.1"), {
    method,
    headers: toHeaders(request),
    signal: disconnection.signal,
    ...(hasBody ? { body: toBody(request), duplex: "half" as const } : {})
  })
}

const sendResponse = async (response: ServerResponse, answer: Response): Promise<void> => {
  // Node decides whether the connection stays open, because it knows the client's request.
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => name !== "connection")))
  // Sent at once, so that a client knows that it was received.
  response.flushHeaders()
  if (answer.body === null) {
    response.end()
    return
  }
  // As in `toBody`.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
}

/** Rejects requests of web pages: those with another host name (DNS rebinding), and those from another origin. */
const rejectForeignRequest = (request: Request): Response | undefined =>
  hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())

/** Serves the bridge on the loopback interface. All local clients call with the bridge's key. */
export const serveHttp = (httpHandler: McpHttpHandler, service: Service, port: number): Promise<Server> => {
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = toRequest(incoming, response)
    const isMcpPath = incoming.url?.split("?")[0] === mcpPath
    await sendResponse(
      response,
      rejectForeignRequest(request) ??
        (isMcpPath ? await httpHandler.handle(request, service) : new Response(null, { status: 404 }))
    )
  }
  const server = createServer((request, response) => {
    // The remaining failure is a client that has disconnected.
    respond(request, response).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}
