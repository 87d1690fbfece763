import { Clock, Effect, Queue, type Scope } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { WireFault } from "./faults.ts"
import { type Listens, serveSockets, type WireSocket } from "./sockets.ts"
import type { WireRequest } from "./WireRequest.ts"

/** The response of a fake source: 200 and JSON by default. */
export interface WireAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, except texts and bytes, which are sent unchanged. */
  readonly body: unknown
}

/** Answers a request. Returns null if the source has no such path. */
export type Speaks = (request: WireRequest) => Effect.Effect<WireAnswer | null>

/** A fake HTTP source on this machine. */
export interface WireServer {
  readonly url: string
  /** All requests, oldest first. */
  readonly requests: ReadonlyArray<WireRequest>
  /** The text of the newest complete response. */
  readonly newestBody: () => string
  /** Makes the next `times` requests fail in this way, or all requests until `heal`. */
  readonly fail: (fault: WireFault, times?: number) => void
  readonly heal: () => void
  /** Waits until a request is held forever. Reports each held request once. */
  readonly held: Effect.Effect<void>
  /** The number of requests without a complete response, including held requests. */
  readonly open: () => number
  /** Waits until a socket is opened. Reports each socket once. */
  readonly opened: Effect.Effect<WireSocket>
  /** The number of open sockets. */
  readonly sockets: () => number
}

interface Failing {
  readonly fault: WireFault
  left: number
}

/** Converts bytes to text with one character per byte, so that faults can rewrite them. */
const textOf = (body: unknown): string =>
  typeof body === "string"
    ? body
    : body instanceof Uint8Array
    ? Buffer.from(body).toString("latin1")
    : JSON.stringify(body)

const notThere: WireAnswer = { status: 404, body: { error: "no such address" } }

const requestOf = (message: IncomingMessage): WireRequest => {
  const url = new URL(message.url ?? "/", "http://localhost")
  return { method: message.method ?? "", path: url.pathname, query: url.searchParams, headers: message.headers }
}

class Line {
  readonly requests: Array<WireRequest> = []
  readonly #speaks: (request: WireRequest) => Promise<WireAnswer>
  readonly #now: () => number
  readonly #tellHeld: () => void
  failing: Failing | undefined
  newestBody = ""
  open = 0

  constructor(speaks: (request: WireRequest) => Promise<WireAnswer>, now: () => number, tellHeld: () => void) {
    this.#speaks = speaks
    this.#now = now
    this.#tellHeld = tellHeld
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
    const fault = this.#faultOfNow()
    if (fault?._tag === "silent") return this.#tellHeld()
    if (fault?._tag === "reset") return void message.socket.destroy()
    const answer = fault?._tag === "answer" ? fault : await this.#speaks(request)
    this.#say(response, answer, fault)
  }

  /** Records a request for a socket, and returns the fault that applies to it, if any. */
  upgrade(message: IncomingMessage): { readonly request: WireRequest; readonly fault: WireFault | undefined } {
    const request = requestOf(message)
    this.requests.push(request)
    const fault = this.#faultOfNow()
    if (fault?._tag === "silent") this.#tellHeld()
    return { request, fault }
  }

  #faultOfNow(): WireFault | undefined {
    if (this.failing === undefined || this.failing.left <= 0) return undefined
    this.failing.left--
    return this.failing.fault
  }

  #say(response: ServerResponse, answer: WireAnswer, fault: WireFault | undefined): void {
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
        response.write(bytes.subarray(0, bytes.length >> 1), () => this.#tellHeld())
        return
      case "cut":
        response.setHeader("content-length", bytes.length)
        response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
        return
      case "endless":
        return pourInto(response)
      default:
        this.newestBody = text
        response.end(bytes)
    }
  }
}

/** Writes an endless body as fast as the client reads it. */
const pourInto = (response: ServerResponse): void => {
  const part = Buffer.alloc(256 * 1024, " ")
  const pour = () => {
    while (!response.destroyed && response.write(part)) { /* until the other side is full */ }
  }
  response.on("drain", pour)
  pour()
}

const listening = (server: Server): Effect.Effect<Server, never, Scope.Scope> =>
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

/**
 * Serves a fake source on a local port until the scope closes. The `date` header uses the `Clock` of the caller, so
 * tests control it.
 */
export const makeWireServer: (
  speaks: Speaks,
  listens?: Listens
) => Effect.Effect<WireServer, never, Scope.Scope> = Effect.fnUntraced(
  function*(speaks, listens = () => null) {
    const context = yield* Effect.context<never>()
    const clock = yield* Clock.Clock
    const held = yield* Queue.unbounded<void>()
    const line = new Line(
      (request) => Effect.runPromiseWith(context)(Effect.map(speaks(request), (answer) => answer ?? notThere)),
      () => clock.currentTimeMillisUnsafe(),
      () => void Queue.offerUnsafe(held, undefined)
    )
    const server = yield* listening(createServer((message, response) => {
      line.take(message, response).catch((error: unknown) => {
        // A defect of this server must differ from a fault of a source.
        response.writeHead(599).end(String(error))
      })
    }))
    const sockets = yield* serveSockets(server, listens, (request) => line.upgrade(request))
    // The server listens on TCP, so its address is an `AddressInfo`.
    const { port } = server.address() as AddressInfo
    return {
      url: `http://127.0.0.1:${port}`,
      requests: line.requests,
      newestBody: () => line.newestBody,
      fail: (fault, times = Infinity) => {
        line.failing = { fault, left: times }
      },
      heal: () => {
        line.failing = undefined
      },
      held: Queue.take(held),
      open: () => line.open,
      opened: sockets.opened,
      sockets: sockets.open
    }
  }
)
