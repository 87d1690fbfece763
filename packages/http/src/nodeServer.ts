import {
  type CommonErrors,
  HeadersTooLarge,
  InvalidRequest,
  makeProblem,
  type Rejection,
  RequestTimeout
} from "@tapeline/api"
import { formatMessage } from "@tapeline/core"
import { Context } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { countRejection } from "./metrics.ts"
import type { MiddlewareRejection } from "./responses.ts"

/** Timeouts of connections and requests. */
export interface NodeServerSettings {
  /** Maximum time for a request's head to arrive, in ms. */
  readonly headersTimeoutMs: number
  /** Maximum time for a whole request, including its body, to arrive, in ms. */
  readonly requestTimeoutMs: number
  /**
   * How long an idle connection is kept open, in ms. It must be longer than the value of any proxy in front. If the
   * server closes a connection while a proxy sends a request on it, the proxy responds with 502.
   */
  readonly keepAliveTimeoutMs: number
}

export const defaultNodeServerSettings: NodeServerSettings = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 75_000
}

/** How often connections are checked for request timeouts, in ms. */
const timeoutCheckIntervalMs = 1000

/** A client that has its response and does not close the connection is disconnected after this time, in ms. */
const closeDelayMs = 1000

/** Converts an error code of Node's parser or timeouts. */
const parserErrorOf = (code: string | undefined): MiddlewareRejection<CommonErrors> => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge()
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout()
    default:
      return new InvalidRequest({ says: { key: "malformed_request" } })
  }
}

/** The complete HTTP response to a request that could not be parsed. */
const formatRawResponse = (error: Rejection): string => {
  const requestId = crypto.randomUUID()
  const { headers, problem } = makeProblem(error, requestId, (message) => formatMessage(message, "en"))
  // Node's parser runs outside of any effect. The context of an effect would name another metrics registry.
  countRejection(problem.code, Context.empty())
  const body = JSON.stringify(problem)
  const lines = Object.entries({
    ...headers,
    "x-request-id": requestId,
    "content-language": "en",
    "content-type": "application/problem+json",
    "content-length": String(new TextEncoder().encode(body).length),
    "cache-control": "no-store",
    date: new Date().toUTCString(),
    connection: "close"
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`
}

/** The unfinished responses on each connection, in the order of their requests, and the latest response. */
type Responses = WeakMap<Duplex, ReadonlyArray<ServerResponse>>

const latestResponseOn = (responses: Responses, socket: Duplex): ServerResponse | undefined =>
  responses.get(socket)?.at(-1)

const respondToClientError = (responses: Responses) => (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const response = latestResponseOn(responses, socket)
  const isPartlySent = response !== undefined && response.headersSent && !response.writableEnded
  // The parser gives some of these requests to the routes before it fails. The routes reject them.
  if (error.code === "HPE_INVALID_TRANSFER_ENCODING" && response?.req.complete === false) return
  if (error.code === "ECONNRESET" || !socket.writable || isPartlySent) {
    socket.destroy()
    return
  }
  socket.end(formatRawResponse(parserErrorOf(error.code)))
  const timer = setTimeout(() => socket.destroy(), closeDelayMs)
  socket.once("close", () => clearTimeout(timer))
}

/**
 * Holds requests that arrive before there is a request handler, and passes them to the first handler. Effect's server
 * listens before it serves, and Node passes a request only to existing handlers.
 */
const queueUntilHandled = (server: Server): void => {
  const queued: Array<readonly [request: IncomingMessage, response: ServerResponse]> = []
  const enqueue = (request: IncomingMessage, response: ServerResponse) => void queued.push([request, response])
  const drainQueue = (event: string | symbol, listener: (...requestAndResponse: (typeof queued)[number]) => void) => {
    if (event !== "request") return
    server.off("request", enqueue).off("newListener", drainQueue)
    // The listener receives later requests automatically.
    for (const [request, response] of queued) listener.call(server, request, response)
  }
  server.on("request", enqueue).on("newListener", drainQueue)
}

/**
 * Makes `close` end all connections.
 *
 * Connections without a request are closed at once, such as those that a browser opens in advance. Node would wait for
 * a request on them. Other connections are closed after the running response, also if it began as keep-alive, as
 * streams do. Node would wait until the clients disconnect.
 */
const closeConnectionsOnClose = (server: Server, responses: Responses): void => {
  const openSockets = new Set<Socket>()
  let isClosing = false
  const closeSocketAfter = (socket: Socket, response: ServerResponse) =>
    response.once("finish", () => {
      if (latestResponseOn(responses, socket) === response) socket.destroySoon()
    })
  server.on("connection", (socket) => {
    openSockets.add(socket)
    socket.once("close", () => openSockets.delete(socket))
  })
  server.on("request", ({ socket }, response) => {
    const unfinished = responses.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? []
    responses.set(socket, [...unfinished, response])
    if (isClosing) closeSocketAfter(socket, response)
  })
  const close = server.close.bind(server)
  server.close = (callback) => {
    isClosing = true
    close(callback)
    for (const socket of openSockets) {
      const response = latestResponseOn(responses, socket)
      if (response !== undefined) closeSocketAfter(socket, response)
      else if (socket.bytesRead === 0) socket.destroy()
    }
    return server
  }
}

/**
 * An HTTP/1.0 client that closes its side within this time after its request, in ms, still reads. Later it has
 * disconnected.
 */
const http10HalfCloseMs = 100

/** Returns when the latest request of HTTP/1.0 on a connection arrived whole, ms. */
const trackHttp10Arrivals = (server: Server): (socket: Socket) => number => {
  const arrivals = new WeakMap<Socket, number>()
  server.on("request", (request) => {
    if (request.httpVersion !== "1.0") return
    const recordArrival = () => void arrivals.set(request.socket, performance.now())
    recordArrival()
    request.once("end", recordArrival)
  })
  return (socket) => arrivals.get(socket) ?? 0
}

/**
 * Lets a client that closes its side after a complete request have the response. A client that disconnected looks the
 * same until a write to its connection fails, usually the second one. Interim responses (RFC 9110, 15.2) cause such
 * writes, so that requests of disconnected clients are interrupted at once. The pause after each of them is twice as
 * long as the one before.
 *
 * HTTP/1.0 has no interim responses. Its clients count as disconnected unless they close their side together with the
 * request. A stream ends with the client's side, and the responses to later requests follow it.
 */
const allowHalfClose = (server: Server, responses: Responses): void => {
  // Node has no parameter and no type for this setting.
  Object.assign(server, { httpAllowHalfOpen: true })
  const arrivalTimeOf = trackHttp10Arrivals(server)
  server.on("connection", (socket) => {
    socket.once("end", () => {
      const unfinishedResponses = () => responses.get(socket)?.filter(({ writableEnded }) => !writableEnded) ?? []
      const [firstResponse, ...otherResponses] = unfinishedResponses()
      if (firstResponse === undefined) return
      const isHttp10 = latestResponseOn(responses, socket)?.req.httpVersion === "1.0"
      const hasDisconnected = isHttp10 && performance.now() - arrivalTimeOf(socket) > http10HalfCloseMs
      if (hasDisconnected || firstResponse.headersSent && otherResponses.length === 0) return socket.destroySoon()
      if (isHttp10) return
      let timer: NodeJS.Timeout | undefined
      const probe = (pauseMs: number) => {
        const [response] = unfinishedResponses()
        if (response === undefined) return
        // Responses to later requests have no socket yet.
        if (!response.headersSent && response.socket !== null) response.writeContinue()
        timer = setTimeout(() => probe(2 * pauseMs), pauseMs)
      }
      socket.once("close", () => clearTimeout(timer))
      probe(1)
    })
  })
}

/**
 * Makes a Node server for these routes. It has timeouts for slow clients. For requests that Node itself would reject,
 * it responds with problem details and a request id. A request without `Host` reaches the routes, which reject it.
 */
export const makeNodeServer = (settings: Partial<NodeServerSettings> = {}): Server => {
  const { headersTimeoutMs, keepAliveTimeoutMs, requestTimeoutMs } = { ...defaultNodeServerSettings, ...settings }
  const responses: Responses = new WeakMap()
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(timeoutCheckIntervalMs, headersTimeoutMs, requestTimeoutMs),
    requireHostHeader: false,
    // The server supports no other protocol. A client that offers an upgrade gets an HTTP response, which Node would
    // otherwise cut short.
    shouldUpgradeCallback: () => false
  })
  closeConnectionsOnClose(server, responses)
  allowHalfClose(server, responses)
  // Must come after all other listeners, because it treats the next listener as the request handler.
  queueUntilHandled(server)
  return server
    .on("clientError", respondToClientError(responses))
    // An unknown expectation is no reason to reject a request (RFC 9110, 10.1.1).
    .on("checkExpectation", (request, response) => server.emit("request", request, response))
    // The server is not a proxy.
    .on("connect", (_, socket) => respondToClientError(responses)(new Error("CONNECT"), socket))
}
