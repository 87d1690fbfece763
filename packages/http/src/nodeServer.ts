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
import { Server as NetServer, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import { countRejection } from "./metrics.ts"
import type { MiddlewareRejection } from "./responses.ts"

export interface NodeServerSettings {
  /** The maximum time in which the headers of a request must arrive, in ms. */
  readonly headersTimeoutMs: number
  /** The maximum time in which a complete request with its body must arrive, in ms. */
  readonly requestTimeoutMs: number
  /**
   * The time in ms for which an idle connection stays open. Every proxy in front of the server must have a shorter idle
   * timeout than `keepAliveTimeoutMs`. If the server closes a connection on which a proxy is sending a request, the
   * proxy responds with 502.
   */
  readonly keepAliveTimeoutMs: number
  /**
   * The time after `close` for which open connections can still send a request, in ms. A proxy may have opened a
   * connection directly before the server stopped listening. If the server closed it at once, the proxy would respond
   * with 502.
   */
  readonly lingerMs: number
}

export const defaultNodeServerSettings: NodeServerSettings = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 75_000,
  lingerMs: 0
}

const timeoutCheckIntervalMs = 1000

/**
 * The time in ms until the server destroys a connection that it has sent the response to an invalid request, or whose
 * next request is incomplete when the server closes.
 */
const closeDelayMs = 1000

const parserErrorOf = (code: string | undefined): MiddlewareRejection<CommonErrors> => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge()
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout()
    default:
      return new InvalidRequest({ callerMessage: { key: "malformed_request" } })
  }
}

const formatRawResponse = (error: Rejection): string => {
  const requestId = crypto.randomUUID()
  const { headers, problem } = makeProblem(error, requestId, (message) => formatMessage(message, "en"))
  // Node's parser calls the function outside of any effect, so the rejection counts in the default metrics registry.
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

/**
 * The unfinished responses on each connection, in the order of their requests. The last entry is always the
 * connection's latest response, finished or not.
 */
type Responses = WeakMap<Duplex, ReadonlyArray<ServerResponse>>

const latestResponseOn = (responses: Responses, socket: Duplex): ServerResponse | undefined =>
  responses.get(socket)?.at(-1)

const respondToClientError = (responses: Responses) => (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const response = latestResponseOn(responses, socket)
  const isPartlySent = response !== undefined && response.headersSent && !response.writableEnded
  // A client must not send data after a request with `Connection: close`, whose response is the last one on the
  // connection.
  if (error.code === "HPE_CLOSED_CONNECTION") return
  // For some requests with an invalid transfer encoding, the parser fails only after calling the routes, which then
  // reject the request.
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
 * Queues requests that arrive before a request handler exists. Effect's server listens before it adds a handler, and
 * Node drops requests without a handler.
 */
const queueUntilHandled = (server: Server): void => {
  const queued: Array<readonly [request: IncomingMessage, response: ServerResponse]> = []
  const enqueue = (request: IncomingMessage, response: ServerResponse) => void queued.push([request, response])
  const drainQueue = (event: string | symbol, listener: (...requestAndResponse: (typeof queued)[number]) => void) => {
    if (event !== "request") return
    server.off("request", enqueue).off("newListener", drainQueue)
    for (const [request, response] of queued) listener.call(server, request, response)
  }
  server.on("request", enqueue).on("newListener", drainQueue)
}

/** The duration of an iteration of the event loop that handles no request, in ms. */
const quietMs = 0.3

/** The maximum time to wait for a quiet iteration of the event loop, in ms. */
const maxQuietWaitMs = 200

/**
 * Runs `close` directly after an iteration of the event loop that accepted no connection and took little time. When a
 * listener closes, the kernel resets the connections that it has not accepted yet.
 */
const runBetweenConnections = (server: Server, close: () => void): void => {
  const startedAt = performance.now()
  let checkedAt = startedAt
  let isAccepting = true
  const onConnection = () => {
    isAccepting = true
  }
  server.on("connection", onConnection)
  const check = () => {
    const now = performance.now()
    if ((!isAccepting && now - checkedAt < quietMs) || now - startedAt > maxQuietWaitMs) {
      server.off("connection", onConnection)
      return close()
    }
    checkedAt = now
    isAccepting = false
    setImmediate(check)
  }
  setImmediate(check)
}

/**
 * Makes `close` end unused connections after `lingerMs`, connections with an incomplete request a second later, and
 * other connections after the running response. By default, Node's `close` waits until the clients disconnect.
 */
const closeConnectionsOnClose = (server: Server, responses: Responses, lingerMs: number): void => {
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
  // A request whose head is incomplete has no response yet, and may never get one.
  const closeSocketUnlessRequested = (socket: Socket, previous: ServerResponse | undefined) => {
    const timer = setTimeout(() => {
      if (latestResponseOn(responses, socket) === previous) socket.destroy()
    }, closeDelayMs)
    socket.once("close", () => clearTimeout(timer))
  }
  const closeOpenSockets = () => {
    for (const socket of openSockets) {
      const response = latestResponseOn(responses, socket)
      if (response?.writableFinished === false) closeSocketAfter(socket, response)
      else if (socket.bytesRead === 0) socket.destroy()
      else closeSocketUnlessRequested(socket, response)
    }
  }
  server.close = (callback) => {
    isClosing = true
    if (lingerMs === 0) {
      close(callback)
      closeOpenSockets()
      return server
    }
    runBetweenConnections(server, () => {
      // Unlike the method of the HTTP server, this one leaves idle connections open.
      NetServer.prototype.close.call(server, callback)
      setTimeout(() => {
        close()
        closeOpenSockets()
      }, lingerMs)
    })
    return server
  }
}

/**
 * The maximum time in ms between a request and the half-close of an HTTP/1.0 client that still waits for the response.
 * An HTTP/1.0 client that half-closes later counts as disconnected.
 */
const http10HalfCloseMs = 100

/**
 * Records when HTTP/1.0 requests arrive. The returned function returns the `performance.now()` time at which a socket's
 * latest request was complete.
 */
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
 * Sends the response to a client that half-closes its connection after a complete request. A disconnected client looks
 * like a half-closed connection until a write fails, usually the second write. The server tests a half-closed
 * connection with interim responses (RFC 9110, 15.2) at doubling intervals. If the client has disconnected, the interim
 * responses soon fail, and the server interrupts the request. HTTP/1.0 has no interim responses. An HTTP/1.0 client
 * counts as connected only if the half-close follows the request immediately. An event stream ends when the client
 * half-closes the connection. Requests that the client sent after requesting the event stream still get responses.
 */
const allowHalfClose = (server: Server, responses: Responses): void => {
  // Node has no option for `httpAllowHalfOpen`.
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
        if (!response.headersSent && response.socket !== null) response.writeContinue()
        timer = setTimeout(() => probe(2 * pauseMs), pauseMs)
      }
      socket.once("close", () => clearTimeout(timer))
      probe(1)
    })
  })
}

/**
 * Creates a Node HTTP server that also responds with problem details to the requests that Node itself rejects, such as
 * late or malformed requests.
 */
export const makeNodeServer = (settings: Partial<NodeServerSettings> = {}): Server => {
  const { headersTimeoutMs, keepAliveTimeoutMs, lingerMs, requestTimeoutMs } = {
    ...defaultNodeServerSettings,
    ...settings
  }
  const responses: Responses = new WeakMap()
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(timeoutCheckIntervalMs, headersTimeoutMs, requestTimeoutMs),
    // Requests without a `Host` header reach the routes, which reject them.
    requireHostHeader: false,
    // Without the callback, Node would truncate the HTTP response to a client that requests an upgrade to another
    // protocol.
    shouldUpgradeCallback: () => false
  })
  closeConnectionsOnClose(server, responses, lingerMs)
  allowHalfClose(server, responses)
  // `queueUntilHandled` treats the next request listener as the handler, so all other listeners must be added before.
  queueUntilHandled(server)
  return server
    .on("clientError", respondToClientError(responses))
    // An unknown `Expect` header is no reason to reject a request (RFC 9110, 10.1.1).
    .on("checkExpectation", (request, response) => server.emit("request", request, response))
    .on("connect", (_, socket) => respondToClientError(responses)(new Error("CONNECT"), socket))
}
