import {
  type AnyRequest,
  HeadersTooLarge,
  InvalidRequest,
  problemOf,
  type Refusal,
  RequestTimeout
} from "@tapeline/api"
import { say } from "@tapeline/core"
import { Context } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { countRejection } from "./measures.ts"
import type { RefusalBy } from "./operation.ts"

/** How patient the server is with its peers. */
export interface NodeServerSettings {
  /** A request's head must have arrived within this, in ms. */
  readonly headersTimeoutMs: number
  /** A whole request, its body too, must have arrived within this, in ms. */
  readonly requestTimeoutMs: number
  /**
   * An idle connection is kept for this, in ms. It must be longer than that of any proxy in front: one that sends a
   * request just as the server closes the connection answers its own caller with 502.
   */
  readonly keepAliveTimeoutMs: number
}

export const defaultNodeServerSettings: NodeServerSettings = {
  headersTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 75_000
}

/** How often connections are looked over for requests that take too long, in ms. */
const overlookEveryMs = 1000

/** A peer that has been answered and does not hang up is cut off after this, in ms. */
const graceMs = 1000

/** The refusal that stands for what Node's parser or its clock says of a request. */
const refusalOf = (code: string | undefined): RefusalBy<AnyRequest> => {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new HeadersTooLarge()
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new RequestTimeout()
    default:
      return new InvalidRequest({ says: { key: "malformed_request" } })
  }
}

/** A whole response to a request that never became one, as it goes over the wire. */
const rawResponse = (refusal: Refusal): string => {
  const requestId = crypto.randomUUID()
  const { headers, problem } = problemOf(refusal, requestId, (message) => say(message, "en"))
  // Node's parser runs outside of any effect, whose context would name another registry.
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

/** The responses on each connection that are not finished, in the order of their requests, and the latest response. */
type Responses = WeakMap<Duplex, ReadonlyArray<ServerResponse>>

const latestOf = (responses: Responses, socket: Duplex): ServerResponse | undefined => responses.get(socket)?.at(-1)

const answerClientError = (responses: Responses) => (error: NodeJS.ErrnoException, socket: Duplex): void => {
  const response = latestOf(responses, socket)
  const isUnderWay = response !== undefined && response.headersSent && !response.writableEnded
  // The parser gives some of these requests to the routes before it fails. The routes reject them.
  if (error.code === "HPE_INVALID_TRANSFER_ENCODING" && response?.req.complete === false) return
  if (error.code === "ECONNRESET" || !socket.writable || isUnderWay) {
    socket.destroy()
    return
  }
  socket.end(rawResponse(refusalOf(error.code)))
  const timer = setTimeout(() => socket.destroy(), graceMs)
  socket.once("close", () => clearTimeout(timer))
}

/**
 * Requests that come before anybody answers wait for who will: effect's server listens before it serves, and Node gives
 * a request to those who are there.
 */
const holdUntilServed = (server: Server): void => {
  const held: Array<readonly [request: IncomingMessage, response: ServerResponse]> = []
  const hold = (request: IncomingMessage, response: ServerResponse) => void held.push([request, response])
  const release = (event: string | symbol, listener: (...exchange: (typeof held)[number]) => void) => {
    if (event !== "request") return
    server.off("request", hold).off("newListener", release)
    // It hears by itself of what comes from now on.
    for (const [request, response] of held) listener.call(server, request, response)
  }
  server.on("request", hold).on("newListener", release)
}

/**
 * A server that is closed ends the connections on which nothing was ever asked, as those that a browser opens in
 * advance, or a caller for a call that it then did not make: Node takes them for ones whose request is on its way, and
 * waits for them. The others it ends behind the answer that runs, also one that began as an answer on a connection that
 * stays, as streams do: Node would wait until their callers hang up.
 */
const endWithClose = (server: Server, responses: Responses): void => {
  const open = new Set<Socket>()
  let closing = false
  const endBehind = (socket: Socket, response: ServerResponse) =>
    response.once("finish", () => {
      if (latestOf(responses, socket) === response) socket.destroySoon()
    })
  server.on("connection", (socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  server.on("request", ({ socket }, response) => {
    const unfinished = responses.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? []
    responses.set(socket, [...unfinished, response])
    if (closing) endBehind(socket, response)
  })
  const close = server.close.bind(server)
  server.close = (told) => {
    closing = true
    close(told)
    for (const socket of open) {
      const response = latestOf(responses, socket)
      if (response !== undefined) endBehind(socket, response)
      else if (socket.bytesRead === 0) socket.destroy()
    }
    return server
  }
}

/** A client of HTTP/1.0 that closes its side so soon after its request still reads, ms. Later it hung up. */
const closesAtOnceMs = 100

/** Returns when the latest request of HTTP/1.0 on a connection arrived whole, ms. */
const noteArrivals = (server: Server): (socket: Socket) => number => {
  const arrivals = new WeakMap<Socket, number>()
  server.on("request", (request) => {
    if (request.httpVersion !== "1.0") return
    const note = () => void arrivals.set(request.socket, performance.now())
    note()
    request.once("end", note)
  })
  return (socket) => arrivals.get(socket) ?? 0
}

/**
 * Lets a client that closes its side after a complete request have the response. A client that hung up looks the same
 * until a write to its connection fails, usually the second one. Interim responses (RFC 9110, 15.2) cause such writes,
 * so that the requests of a client that hung up are interrupted at once. The pause after each of them is twice as long
 * as the one before. HTTP/1.0 has no interim responses. Its clients hung up, unless they close their side together with
 * the request. A stream ends with the client's side, and the responses to later requests follow it.
 */
const allowHalfClose = (server: Server, responses: Responses): void => {
  // Node has this setting without a parameter or a type for it.
  Object.assign(server, { httpAllowHalfOpen: true })
  const arrivalOn = noteArrivals(server)
  server.on("connection", (socket) => {
    socket.once("end", () => {
      const allUnanswered = () => responses.get(socket)?.filter(({ writableEnded }) => !writableEnded) ?? []
      const [first, ...others] = allUnanswered()
      if (first === undefined) return
      const isOld = latestOf(responses, socket)?.req.httpVersion === "1.0"
      const isHangUp = isOld && performance.now() - arrivalOn(socket) > closesAtOnceMs
      if (isHangUp || first.headersSent && others.length === 0) return socket.destroySoon()
      if (isOld) return
      let timer: NodeJS.Timeout | undefined
      const probe = (pauseMs: number) => {
        const [response] = allUnanswered()
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
 * A Node server for these routes: bounded patience with slow peers, and problem details with a request id for what
 * Node would answer in words of its own. A missing `Host` reaches the routes, which refuse it.
 */
export const makeNodeServer = (settings: Partial<NodeServerSettings> = {}): Server => {
  const { headersTimeoutMs, keepAliveTimeoutMs, requestTimeoutMs } = { ...defaultNodeServerSettings, ...settings }
  const responses: Responses = new WeakMap()
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(overlookEveryMs, headersTimeoutMs, requestTimeoutMs),
    requireHostHeader: false,
    // No other protocol is spoken here: whoever offers one is answered in this one, which Node would else cut short.
    shouldUpgradeCallback: () => false
  })
  endWithClose(server, responses)
  allowHalfClose(server, responses)
  // After all that is no answer: it takes who listens next for one who answers.
  holdUntilServed(server)
  return server
    .on("clientError", answerClientError(responses))
    // An expectation that is not known is no reason to refuse (RFC 9110, 10.1.1).
    .on("checkExpectation", (request, response) => server.emit("request", request, response))
    // This is no proxy.
    .on("connect", (_, socket) => answerClientError(responses)(new Error("CONNECT"), socket))
}
