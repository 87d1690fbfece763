import { Clock, Context, Deferred, Effect, type Scope } from "effect"
import type { ClientRequestArgs, IncomingMessage } from "node:http"
import { type RawData, WebSocket } from "ws"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import type { ReconnectPolicy } from "./policies.ts"
import { type RateLimit403, rejectionOf } from "./rejections.ts"

export interface ConnectionCallbacks {
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  /** Runs on every received message, ping or pong. On a message, `onActivity` runs after `onText`. */
  readonly onActivity: () => void
}

export interface Connection {
  readonly send: (text: string) => void
  /** Waits until the connection ends, and then fails with the reason. */
  readonly ended: Effect.Effect<never, Fault>
  readonly end: (fault: Fault) => void
}

/** Returns how to open the connection to a URL, for example through a proxy, or undefined for a direct connection. */
export const SocketConnections = Context.Reference<(url: string) => ClientRequestArgs["createConnection"]>(
  "@tapeline/market-live/SocketConnections",
  { defaultValue: () => () => undefined }
)

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8")

const codeOf = (error: Error): string => "code" in error && typeof error.code === "string" ? ` (${error.code})` : ""

export interface SocketRejectionRules {
  readonly policy: ReconnectPolicy
  readonly next?: string | undefined
  readonly rateLimit403?: RateLimit403 | undefined
}

/** Classifies the HTTP response of a server that rejects the WebSocket, without reading the response body. */
const socketRejection = (
  response: IncomingMessage,
  { rateLimit403, next, policy }: SocketRejectionRules,
  now: number
) => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) if (typeof value === "string") headers.set(name, value)
  const status = response.statusCode ?? 0
  const judge = {
    policy: { limitedMs: policy.limitedMs, bannedMs: policy.limitedMs },
    next,
    rateLimit403
  }
  return rejectionOf({ status, headers, text: "" }, judge, now) ??
    unreachable(`the WebSocket was rejected (status ${status})`)
}

/**
 * Opens one connection with the package `ws`, because Node's own WebSocket exposes neither pings nor the HTTP status of
 * a rejected connection.
 */
export const connect: (
  url: string,
  listener: ConnectionCallbacks,
  judge: SocketRejectionRules
) => Effect.Effect<Connection, never, Scope.Scope> = Effect.fnUntraced(function*(url, listener, judge) {
  const clock = yield* Clock.Clock
  const createConnection = (yield* SocketConnections)(url)
  const ended = yield* Deferred.make<never, Fault>()
  const end = (fault: Fault) => void Deferred.doneUnsafe(ended, Effect.fail(fault))
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new WebSocket(url, {
        maxPayload: judge.policy.maxBytes,
        perMessageDeflate: false,
        ...(createConnection === undefined ? {} : { createConnection })
      })
    ),
    (socket) => Effect.sync(() => socket.terminate())
  )
  socket.on("open", listener.onOpen)
  socket.on("message", (data, isBinary) => {
    if (isBinary) return end(malformed("a binary message instead of text"))
    listener.onText(textOf(data))
    listener.onActivity()
  })
  socket.on("ping", listener.onActivity)
  socket.on("pong", listener.onActivity)
  socket.on("unexpected-response", (request, response) => {
    end(socketRejection(response, judge, clock.currentTimeMillisUnsafe()))
    request.destroy()
  })
  socket.on("error", (error) => end(unreachable(`the connection failed${codeOf(error)}`)))
  socket.on("close", (code) => end(unreachable(`the connection was closed (${code})`)))
  return {
    send: (text) => {
      if (socket.readyState !== WebSocket.OPEN) return
      if (text === "") socket.ping()
      else socket.send(text)
    },
    ended: Deferred.await(ended),
    end
  }
})

export const silenceFault = (silenceMs: number): Fault => unreachable(`no data for ${seconds(silenceMs)}`)
