import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse
} from "@modelcontextprotocol/server"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { HttpFace } from "../httpFace.ts"
import type { Service } from "../service.ts"

/** Where the bridge is answered. */
export const path = "/mcp"

/** Bytes that a message may have: a question is of 32,000 characters, and arguments are shorter. */
export const mostBytes = 256 * 1024

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(", ") : value)
  }
  return given
}

// The stream of the same web, which types of Node and of browsers tell apart.
const bodyOf = (request: IncomingMessage) => Readable.toWeb(request) as unknown as ReadableStream<Uint8Array>

/** The request as the web has it, given up when its connection closes before the answer is whole. */
const requestOf = (request: IncomingMessage, response: ServerResponse): Request => {
  const gone = new AbortController()
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(new Error("the client hung up"))
  })
  const method = request.method ?? "GET"
  const hasBody = method !== "GET" && method !== "HEAD"
  return new Request(new URL(path, "http://127.0.0.1"), {
    method,
    headers: headersOf(request),
    signal: gone.signal,
    ...(hasBody ? { body: bodyOf(request), duplex: "half" as const } : {})
  })
}

const send = async (response: ServerResponse, answer: Response): Promise<void> => {
  // Whether the connection stays is Node's to say, which knows what the client asked for.
  response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => name !== "connection")))
  // At once, so that a client knows that it is heard.
  response.flushHeaders()
  if (answer.body === null) {
    response.end()
    return
  }
  // As above.
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
}

/** What no page may ask: one whose name was made to lead here (DNS rebinding), or that is of another host. */
const refusalOf = (request: Request): Response | undefined =>
  hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())

/** Serves the bridge on loopback. Whoever may connect there calls with the bridge's key. */
export const serveHttp = (face: HttpFace, service: Service, port: number): Promise<Server> => {
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = requestOf(incoming, response)
    const isHere = incoming.url?.split("?")[0] === path
    await send(
      response,
      refusalOf(request) ?? (isHere ? await face.answer(request, service) : new Response(null, { status: 404 }))
    )
  }
  const server = createServer((request, response) => {
    // What is left is a client that hung up.
    answer(request, response).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}
