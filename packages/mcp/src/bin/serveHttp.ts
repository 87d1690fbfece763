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

export const mcpPath = "/mcp"

/** The maximum size of an MCP message, in bytes, well above the maximum length of a question. */
export const maxMessageBytes = 256 * 1024

const toHeaders = ({ headers }: IncomingMessage): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result.set(name, Array.isArray(value) ? value.join(", ") : value)
  }
  return result
}

// The cast is needed, because Node and browsers declare different types for the same web stream.
const toBody = (request: IncomingMessage) => Readable.toWeb(request) as unknown as ReadableStream<Uint8Array>

/**
 * Converts a Node request to a web `Request` that is aborted if the client disconnects before the response is complete.
 */
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
  // The header `connection` is left to Node, which decides whether the connection stays open.
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => name !== "connection")))
  // The headers are sent at once, so that the client knows that the server received the request.
  response.flushHeaders()
  if (answer.body === null) {
    response.end()
    return
  }
  // The cast is needed, because Node and browsers declare different types for the same web stream.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
}

/** Rejects requests of web pages: requests with a foreign host name (DNS rebinding) or a foreign origin. */
const rejectForeignRequest = (request: Request): Response | undefined =>
  hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())

/** Serves the MCP bridge on the loopback interface to all local clients, with the bridge's API key. */
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
    // Responding can fail only because the client has disconnected.
    respond(request, response).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}
