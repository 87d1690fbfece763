import { Clock, Effect, Queue, type Scope } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { FakeRequest } from "./FakeRequest.ts"
import type { FakeFault } from "./faults.ts"
import { type FakeSocket, serveSockets, type SocketHandler } from "./sockets.ts"

/** The response of a fake source, with status 200 and JSON as defaults. */
export interface FakeResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The response body, which is sent unchanged if it is text or bytes, and as JSON if it is any other value. */
  readonly body: unknown
}

/** Handles a request, or returns null if the fake source does not have the requested path. */
export type RequestHandler = (request: FakeRequest) => Effect.Effect<FakeResponse | null>

/** A fake HTTP source on a local port. */
export interface FakeServer {
  readonly url: string
  readonly requests: ReadonlyArray<FakeRequest>
  readonly newestBody: () => string
  /** Makes the next `times` requests fail. If `times` is undefined, all requests fail until `heal` is called. */
  readonly fail: (fault: FakeFault, times?: number) => void
  readonly heal: () => void
  /** Waits for the next request that the server leaves without a response. */
  readonly waitForHeldRequest: Effect.Effect<void>
  /** Returns the number of requests without a complete response, including held requests. */
  readonly openRequests: () => number
  /** Waits until a client opens a socket. The effect returns each socket only once. */
  readonly waitForSocket: Effect.Effect<FakeSocket>
  readonly openSockets: () => number
}

interface ActiveFault {
  readonly fault: FakeFault
  remaining: number
}

/** Converts bytes to text with one character per byte, so that faults can rewrite the bytes. */
const textOf = (body: unknown): string =>
  typeof body === "string"
    ? body
    : body instanceof Uint8Array
    ? Buffer.from(body).toString("latin1")
    : JSON.stringify(body)

const notFound: FakeResponse = { status: 404, body: { error: "no such address" } }

const toFakeRequest = (message: IncomingMessage): FakeRequest => {
  const url = new URL(message.url ?? "/", "http://localhost")
  return { method: message.method ?? "", path: url.pathname, query: url.searchParams, headers: message.headers }
}

class RequestLog {
  readonly requests: Array<FakeRequest> = []
  readonly #handle: (request: FakeRequest) => Promise<FakeResponse>
  readonly #now: () => number
  readonly #onHeld: () => void
  activeFault: ActiveFault | undefined
  newestBody = ""
  open = 0

  constructor(handle: (request: FakeRequest) => Promise<FakeResponse>, now: () => number, onHeld: () => void) {
    this.#handle = handle
    this.#now = now
    this.#onHeld = onHeld
  }

  async take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? "/", "http://localhost")
    const request = {
      method: message.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: message.headers
    }
    this.requests.push(request)
    this.open++
    response.once("close", () => void this.open--)
    const fault = this.#nextFault()
    if (fault?._tag === "silent") return this.#onHeld()
    if (fault?._tag === "reset") return void message.socket.destroy()
    const answer = fault?._tag === "answer" ? fault : await this.#handle(request)
    this.#respond(response, answer, fault)
  }

  upgrade(message: IncomingMessage): { readonly request: FakeRequest; readonly fault: FakeFault | undefined } {
    const request = toFakeRequest(message)
    this.requests.push(request)
    const fault = this.#nextFault()
    if (fault?._tag === "silent") this.#onHeld()
    return { request, fault }
  }

  #nextFault(): FakeFault | undefined {
    if (this.activeFault === undefined || this.activeFault.remaining <= 0) return undefined
    this.activeFault.remaining--
    return this.activeFault.fault
  }

  #respond(response: ServerResponse, answer: FakeResponse, fault: FakeFault | undefined): void {
    const text = fault?._tag === "rewritten" ? fault.rewrite(textOf(answer.body)) : textOf(answer.body)
    const bytes = fault?._tag === "bytes"
      ? fault.bytes
      : Buffer.from(text, answer.body instanceof Uint8Array ? "latin1" : "utf8")
    response.sendDate = false
    response.statusCode = answer.status ?? 200
    const date = fault?._tag === "dated" ? fault.date(this.#now()) : new Date(this.#now()).toUTCString()
    if (date !== null) response.setHeader("date", date)
    response.setHeader("content-type", "application/json;charset=UTF-8")
    const headers = { ...answer.headers, ...(fault?._tag === "bytes" ? fault.headers : {}) }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    switch (fault?._tag) {
      case "stalled":
        response.setHeader("content-length", bytes.length)
        response.write(bytes.subarray(0, bytes.length >> 1), () => this.#onHeld())
        return
      case "cut":
        response.setHeader("content-length", bytes.length)
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
        return
      case "endless":
        return sendEndlessBody(response)
      default:
        this.newestBody = text
        response.end(bytes)
    }
  }
}

/** Writes an endless response body as fast as the client reads. */
const sendEndlessBody = (response: ServerResponse): void => {
  const part = Buffer.alloc(256 * 1024, " ")
  const writeUntilFull = () => {
    while (!response.destroyed && response.write(part)) { /* until the socket's buffer is full */ }
  }
  response.on("drain", writeUntilFull)
  writeUntilFull()
}

const listenOnLocalPort = (server: Server): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** Serves a fake source until the scope closes. The `date` header contains the time of the caller's `Clock`. */
export const makeFakeServer: (
  handleRequest: RequestHandler,
  handleSocket?: SocketHandler
) => Effect.Effect<FakeServer, never, Scope.Scope> = Effect.fnUntraced(
  function*(handleRequest, handleSocket = () => null) {
    const context = yield* Effect.context<never>()
    const clock = yield* Clock.Clock
    const heldSignal = yield* Queue.unbounded<void>()
    const log = new RequestLog(
      (request) => Effect.runPromiseWith(context)(Effect.map(handleRequest(request), (answer) => answer ?? notFound)),
      () => clock.currentTimeMillisUnsafe(),
      () => void Queue.offerUnsafe(heldSignal, undefined)
    )
    // Without a timeout of idle connections: a busy test would otherwise find its request on a closed connection.
    const server = yield* listenOnLocalPort(createServer({ keepAliveTimeout: 0 }, (message, response) => {
      log.take(message, response).catch((error: unknown) => {
        // A defect of the fake server has status 599, so that tests can distinguish it from a fault of the source.
        response.writeHead(599).end(String(error))
      })
    }))
    const sockets = yield* serveSockets(server, handleSocket, (request) => log.upgrade(request))
    // The cast is safe, because a server that listens on TCP has an `AddressInfo`.
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      requests: log.requests,
      newestBody: () => log.newestBody,
      fail: (fault, times = Infinity) => {
        log.activeFault = { fault, remaining: times }
      },
      heal: () => {
        log.activeFault = undefined
      },
      waitForHeldRequest: Queue.take(heldSignal),
      openRequests: () => log.open,
      waitForSocket: sockets.opened,
      openSockets: sockets.open
    }
  }
)
