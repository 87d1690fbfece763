import { Clock, Context, Deferred, Effect, type Scope } from "effect"
import type { ClientRequestArgs, IncomingMessage } from "node:http"
import { type RawData, WebSocket } from "ws"
import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import { type LimitedBy403, refusalOf } from "./judge.ts"
import type { SocketPatience } from "./socketSettings.ts"

/** What happens on a connection; each call is told when it happens. */
export interface Listener {
  readonly open: () => void
  readonly text: (text: string) => void
  /** Any sign of life; of a text, after it. */
  readonly sign: () => void
}

export interface Connection {
  readonly say: (text: string) => void
  /** Fails when it ends, and never before. */
  readonly ended: Effect.Effect<never, Fault>
  readonly end: (fault: Fault) => void
}

/** Returns how the connection to an address is opened, for example through a proxy. Undefined: directly. */
export const SocketConnections = Context.Reference<(url: string) => ClientRequestArgs["createConnection"]>(
  "@tapeline/market-live/SocketConnections",
  { defaultValue: () => () => undefined }
)

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8")

const codeOf = (error: Error): string => "code" in error && typeof error.code === "string" ? ` (${error.code})` : ""

/** How a refused connection is judged. */
export interface SocketJudge {
  readonly patience: SocketPatience
  /** Who tells the same, where it does not serve. */
  readonly next?: string | undefined
  readonly limitedBy403?: LimitedBy403 | undefined
}

/** What a server that does not want a socket says instead; its body is not waited for. */
const refusalOfSocket = (response: IncomingMessage, { limitedBy403, next, patience }: SocketJudge, now: number) => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) if (typeof value === "string") headers.set(name, value)
  const status = response.statusCode ?? 0
  const judge = { patience: { limitedMs: patience.limitedMs, bannedMs: patience.limitedMs }, next, limitedBy403 }
  return refusalOf({ status, headers, text: "" }, judge, now) ?? unreachable(`it opens no socket (status ${status})`)
}

/**
 * One connection, for as long as the scope lives. The package `ws` does it: Node's own socket tells neither pings nor
 * pongs, by which alone a silent connection can be told from a broken one, nor the status of a refusal.
 */
export const connect: (
  url: string,
  listener: Listener,
  judge: SocketJudge
) => Effect.Effect<Connection, never, Scope.Scope> = Effect.fnUntraced(function*(url, listener, judge) {
  const clock = yield* Clock.Clock
  const createConnection = (yield* SocketConnections)(url)
  const ended = yield* Deferred.make<never, Fault>()
  const end = (fault: Fault) => void Deferred.doneUnsafe(ended, Effect.fail(fault))
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() =>
      new WebSocket(url, {
        maxPayload: judge.patience.maxBytes,
        perMessageDeflate: false,
        ...(createConnection === undefined ? {} : { createConnection })
      })
    ),
    (socket) => Effect.sync(() => socket.terminate())
  )
  socket.on("open", listener.open)
  socket.on("message", (data, isBinary) => {
    if (isBinary) return end(malformed("it sent bytes where text was due"))
    listener.text(textOf(data))
    listener.sign()
  })
  socket.on("ping", listener.sign)
  socket.on("pong", listener.sign)
  socket.on("unexpected-response", (request, response) => {
    end(refusalOfSocket(response, judge, clock.currentTimeMillisUnsafe()))
    request.destroy()
  })
  socket.on("error", (error) => end(unreachable(`the connection failed${codeOf(error)}`)))
  socket.on("close", (code) => end(unreachable(`it ended the connection (${code})`)))
  return {
    say: (text) => {
      if (socket.readyState !== WebSocket.OPEN) return
      if (text === "") socket.ping()
      else socket.send(text)
    },
    ended: Deferred.await(ended),
    end
  }
})

export const silent = (silenceMs: number): Fault => unreachable(`it said nothing for ${seconds(silenceMs)}`)
