import { Effect, Fiber, Queue, type Scope } from "effect"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { type RawData, type WebSocket, WebSocketServer } from "ws"
import type { FakeRequest } from "./FakeRequest.ts"
import type { FakeFault } from "./faults.ts"

/** The server side of a WebSocket connection. */
export interface FakeSocket {
  readonly request: FakeRequest
  readonly send: (text: string) => void
  readonly received: Effect.Effect<string>
  readonly pinged: Effect.Effect<void>
  /** Waits until the client has read everything that was sent, or has disconnected. */
  readonly waitUntilRead: Effect.Effect<void>
  /** Terminates the socket without a closing handshake. */
  readonly terminate: () => void
  /** Keeps the socket open, but stops sending and reading. */
  readonly stall: () => void
}

/**
 * Handles the opening of a socket. Returns an effect that serves the socket. Returns null if the fake source has no
 * socket at the path.
 */
export type SocketHandler = (request: FakeRequest) => ((socket: FakeSocket) => Effect.Effect<void>) | null

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8")

const rejectUpgrade = (duplex: Duplex, status: number, headers: Readonly<Record<string, string>> = {}): void => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  duplex.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\ncontent-length: 0\r\n${lines.join("")}\r\n`)
}

const makeFakeSocket = (
  socket: WebSocket,
  request: FakeRequest
): Effect.Effect<FakeSocket & { readonly closed: Effect.Effect<void> }> =>
  Effect.gen(function*() {
    const received = yield* Queue.unbounded<string>()
    const pinged = yield* Queue.unbounded<void>()
    const closeSignal = yield* Queue.unbounded<void>()
    let isStalled = false
    socket.on("message", (data) => void Queue.offerUnsafe(received, textOf(data)))
    socket.on("ping", () => void Queue.offerUnsafe(pinged, undefined))
    socket.on("error", () => socket.terminate())
    socket.on("close", () => void Queue.offerUnsafe(closeSignal, undefined))
    return {
      request,
      send: (text) => {
        if (!isStalled) socket.send(text)
      },
      received: Queue.take(received),
      pinged: Queue.take(pinged),
      waitUntilRead: Effect.callback((resume) => {
        if (socket.readyState !== socket.OPEN) return resume(Effect.void)
        const finishPing = () => {
          socket.off("pong", finishPing).off("close", finishPing)
          resume(Effect.void)
        }
        // A client responds to a ping only after it has read all earlier messages.
        socket.once("pong", finishPing).once("close", finishPing)
        if (!isStalled) socket.ping()
      }),
      terminate: () => socket.terminate(),
      stall: () => {
        isStalled = true
        socket.pause()
      },
      closed: Queue.take(closeSignal)
    }
  })

export const serveSockets = Effect.fnUntraced(function*(
  server: Server,
  handleSocket: SocketHandler,
  take: (message: IncomingMessage) => { readonly request: FakeRequest; readonly fault: FakeFault | undefined }
): Effect.fn.Return<
  { readonly opened: Effect.Effect<FakeSocket>; readonly open: () => number },
  never,
  Scope.Scope
> {
  const context = yield* Effect.context<never>()
  const opened = yield* Queue.unbounded<FakeSocket>()
  // The HTTP server does not close connections that were upgraded to WebSockets, so a finalizer closes the connections.
  const connections = new Set<Duplex>()
  yield* Effect.addFinalizer(() => Effect.sync(() => connections.forEach((duplex) => duplex.destroy())))
  const sockets = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocketServer({ noServer: true })),
    (all) => Effect.sync(() => all.clients.forEach((client) => client.terminate()))
  )
  const serve = Effect.fnUntraced(
    function*(socket: WebSocket, request: FakeRequest, handle: (socket: FakeSocket) => Effect.Effect<void>) {
      const wire = yield* makeFakeSocket(socket, request)
      yield* Queue.offer(opened, wire)
      const handler = yield* Effect.forkChild(handle(wire))
      yield* wire.closed
      yield* Fiber.interrupt(handler)
    }
  )
  server.on("upgrade", (message, duplex, firstBytes) => {
    connections.add(duplex)
    duplex.on("error", () => duplex.destroy())
    duplex.on("close", () => connections.delete(duplex))
    const { fault, request } = take(message)
    const handle = handleSocket(request)
    if (fault?._tag === "silent") return
    if (fault?._tag === "reset") return void duplex.destroy()
    if (fault?._tag === "answer") return rejectUpgrade(duplex, fault.status ?? 200, fault.headers)
    if (handle === null) return rejectUpgrade(duplex, 404)
    sockets.handleUpgrade(message, duplex, firstBytes, (socket) => {
      Effect.runForkWith(context)(serve(socket, request, handle))
    })
  })
  return { opened: Queue.take(opened), open: () => sockets.clients.size }
})
