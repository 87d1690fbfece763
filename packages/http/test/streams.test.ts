import { assert, it } from "@effect/vitest"
import { type LoggedEvent, StoreUnavailable } from "@tapeline/core"
import { Draining, makeNodeServer } from "@tapeline/http"
import { Context, Effect, Exit, Fiber, Latch, Layer, Logger, Option, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { IncomingMessage, type Server, ServerResponse } from "node:http"
import { type AddressInfo, connect, Socket } from "node:net"
import { encodeEvent } from "../src/streaming/eventEncoding.ts"
import { type EventLog, EventStreams } from "../src/streaming/EventStreams.ts"
import { takeOverResponse } from "../src/streaming/nodeResponse.ts"
import { openAnswerStreams } from "../src/streaming/streamResponse.ts"

const page = 4

/** A log whose events come from the test, and which counts its followers. */
class Log {
  readonly events: Array<LoggedEvent> = []
  isEnded = false
  failure: Effect.Effect<never, StoreUnavailable> | undefined = undefined
  following = 0
  followed = 0
  readonly #latches = new Set<Latch.Latch>()
  readonly #changed = new Set<() => void>()

  append(count: number, data = "{}"): void {
    for (let i = 0; i < count; i++) this.events.push({ n: this.events.length + 1, kind: "delta", data })
    this.wake()
  }

  end(): void {
    this.isEnded = true
    this.wake()
  }

  wake(): void {
    this.#latches.forEach((latch) => latch.openUnsafe())
  }

  readonly follow = (after: number): Stream.Stream<LoggedEvent, StoreUnavailable> =>
    Stream.unwrap(
      Effect.acquireRelease(
        Effect.sync(() => {
          const latch = Latch.makeUnsafe(false)
          this.#latches.add(latch)
          this.following++
          this.followed++
          return latch
        }),
        (latch) =>
          Effect.sync(() => {
            this.#latches.delete(latch)
            this.following--
            this.#changed.forEach((listener) => listener())
          })
      ).pipe(Effect.map((latch) =>
        Stream.paginate(after, (after) => {
          const next: Effect.Effect<readonly [ReadonlyArray<LoggedEvent>, Option.Option<number>], StoreUnavailable> =
            Effect.suspend(() => {
              if (this.failure !== undefined) return this.failure
              latch.closeUnsafe()
              const pageEvents = this.events.slice(after, after + page)
              if (pageEvents.length > 0) {
                return Effect.succeed([pageEvents, Option.some(after + pageEvents.length)] as const)
              }
              return this.isEnded ? Effect.succeed([[], Option.none()] as const) : Effect.andThen(latch.await, next)
            })
          return next
        })
      ))
    )

  readonly source: EventLog = {
    name: "log",
    openReaders: openAnswerStreams,
    follow: (after) => Stream.map(this.follow(after), (event) => ({ sequence: event.n, bytes: encodeEvent(7, event) }))
  }

  readonly until = (count: number) =>
    Effect.callback<void>((resume) => {
      const resumeWhenFollowing = () => {
        if (this.following !== count) return
        this.#changed.delete(resumeWhenFollowing)
        resume(Effect.void)
      }
      this.#changed.add(resumeWhenFollowing)
      resumeWhenFollowing()
    })
}

/** The path for a reader that closes its sending side before the response begins. */
const closedFirst = -1

/** Starts a server that sends the events of a log. The path contains the number of the reader's last event. */
const serving = Effect.fnUntraced(function*(log: Log, scope?: Scope.Scope) {
  const services = yield* Layer.buildWithScope(
    EventStreams.layer.pipe(Layer.provideMerge(Draining.layer)),
    scope ?? (yield* Effect.scope)
  )
  const streams = Context.get(services, EventStreams)
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const after = Number(request.url?.slice(1))
    const begin = () => {
      response.writeHead(200)
      streams.start({ source: log.source, after, isStillAuthorized: Effect.succeed(true) }, response)
    }
    if (after === closedFirst) request.socket.once("end", begin)
    else begin()
  }
  const server = yield* Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<Server>((resolve) => {
        const server = makeNodeServer().on("request", serve).listen(0, "127.0.0.1", () => resolve(server))
      })
    ),
    (server) => Effect.sync(() => (server.closeAllConnections(), server.close()))
  )
  // The server listens on TCP, so its address has a port.
  const { port } = server.address() as AddressInfo
  return { draining: Context.get(services, Draining), streams, read: (after = 0) => reader(port, after) }
})

const reader = (port: number, after: number) =>
  Effect.acquireRelease(
    Effect.sync(() => new Reader(port, after)),
    (reader) => Effect.sync(() => reader.socket.destroy())
  )

class Reader {
  readonly socket: Socket
  readonly numbers: Array<number> = []
  beats = 0
  isClosed = false
  isWhole = false
  #rest = ""
  #look = () => {}

  constructor(port: number, after: number) {
    this.socket = connect(port, "127.0.0.1", () => this.socket.write(`GET /${after} HTTP/1.1\r\nhost: x\r\n\r\n`))
    this.socket.setEncoding("utf8").on("data", (text) => {
      this.#take(this.#rest + String(text))
      this.#look()
    })
    this.socket.on("error", () => undefined).on("close", () => {
      this.isClosed = true
      this.#look()
    })
  }

  #take(text: string): void {
    const lines = text.split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line === ":") this.beats++
      if (line.startsWith("id: ")) this.numbers.push(Number(line.split("-")[1]))
      if (line === "0\r") this.isWhole = true
    }
  }

  readonly until = (isEnough: (reader: Reader) => boolean) =>
    Effect.callback<void>((resume) => {
      this.#look = () => {
        if (isEnough(this)) resume(Effect.void)
      }
      this.#look()
    })
}

const upTo = (n: number) => ({ numbers }: Reader) => numbers.at(-1) === n
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
const silentLogger = Logger.layer([])

it.effect("a log is followed once for all its readers, and not after the last one has left", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    log.append(3)
    const readers = yield* Effect.forEach(from(1, 10), () => read())
    yield* Effect.forEach(readers, (reader) => reader.until(upTo(3)))
    assert.strictEqual(log.following, 1)
    const lateReader = yield* read(2)
    yield* lateReader.until(upTo(3))
    log.append(200)
    const all = [...readers, lateReader]
    yield* Effect.forEach(all, (reader) => reader.until(upTo(203)))
    assert.strictEqual(log.following, 1)
    // The log has dropped the events that all readers received, so a new reader must read them from the store.
    const later = yield* read()
    yield* later.until(upTo(203))
    yield* log.until(1)
    assert.isAtLeast(log.followed, 2)
    log.append(2)
    log.end()
    yield* Effect.forEach([...all, later], (reader) => reader.until(({ isWhole }) => isWhole))
    for (const reader of [...readers, later]) assert.deepStrictEqual(reader.numbers, from(1, 205))
    assert.deepStrictEqual(lateReader.numbers, from(3, 205))
    yield* log.until(0)
  }))

it.effect("a stream ends at once if the client closed its side before the head", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    const client = yield* read(closedFirst)
    client.socket.once("connect", () => client.socket.end())
    yield* client.until(({ isWhole }) => isWhole)
    assert.strictEqual(log.followed, 0)
  }))

it.effect("a stream ends when the client closes its side, and so do later streams of the connection", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    log.append(1)
    const client = yield* read()
    client.socket.write("GET /0 HTTP/1.1\r\nhost: x\r\n\r\n")
    yield* client.until(upTo(1))
    let rest = ""
    client.socket.on("data", (text) => rest += String(text)).end()
    yield* client.until(({ isClosed }) => isClosed)
    assert.match(rest, /^0\r\n\r\nHTTP\/1\.1 200 OK[^]*\r\n0\r\n\r\n$/)
    assert.deepStrictEqual(client.numbers, [1, 1])
    yield* log.until(0)
  }))

it.effect("a reader that disconnects is removed before the next event, and other readers continue", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    log.append(100)
    const only = yield* read()
    yield* only.until(upTo(100))
    only.socket.destroy()
    yield* log.until(0)
    const [one, two] = [yield* read(), yield* read(100)]
    yield* one.until(upTo(100))
    one.socket.destroy()
    log.append(1)
    yield* two.until(upTo(101))
    two.socket.destroy()
    yield* log.until(0)
  }))

it.effect("readers get a heartbeat every 15 s; a socket that accepts nothing for 30 s is closed", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    const [fastReader, slowReader] = [yield* read(), yield* read()]
    log.append(1)
    yield* Effect.forEach([fastReader, slowReader], (reader) => reader.until(upTo(1)))
    yield* TestClock.adjust("15 seconds")
    yield* Effect.forEach([fastReader, slowReader], (reader) => reader.until(({ beats }) => beats === 1))
    slowReader.socket.pause()
    // The text is larger than all buffers between the server and the reader.
    log.append(24, "x".repeat(1024 * 1024))
    yield* fastReader.until(upTo(25))
    const before = fastReader.beats
    for (let i = 0; i < 7; i++) yield* TestClock.adjust("5 seconds")
    log.append(1)
    yield* fastReader.until(upTo(26))
    assert.isAtLeast(fastReader.beats, before + 2)
    slowReader.socket.resume()
    yield* slowReader.until(({ isClosed }) => isClosed)
    assert.isFalse(slowReader.isWhole)
    assert.notInclude(slowReader.numbers, 26)
    assert.deepStrictEqual(fastReader.numbers, from(1, 26))
  }))

it.effect("an unavailable store delays readers without losing events", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    const one = yield* read()
    log.append(5)
    yield* one.until(upTo(5))
    log.failure = Effect.fail(new StoreUnavailable({ store: "database", cause: new Error("away") }))
    log.append(5)
    yield* log.until(0)
    yield* TestClock.adjust("3 seconds")
    log.failure = undefined
    const lateReader = yield* read()
    yield* TestClock.adjust("1 second")
    log.end()
    yield* Effect.forEach([one, lateReader], (reader) => reader.until(({ isWhole }) => isWhole))
    for (const { numbers } of [one, lateReader]) assert.deepStrictEqual(numbers, from(1, 10))
  }).pipe(Effect.provide(silentLogger)))

it.effect("an unexpected failure of the log breaks connections, so that readers reconnect", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    const one = yield* read()
    log.append(1)
    yield* one.until(upTo(1))
    log.failure = Effect.die(new Error("a bug"))
    log.append(1)
    yield* one.until(({ isClosed }) => isClosed)
    assert.isFalse(one.isWhole)
    log.failure = undefined
    const secondRead = yield* read(1)
    yield* secondRead.until(upTo(2))
  }).pipe(Effect.provide(silentLogger)))

it.effect("an unexpected failure of the first read of the log breaks the connection", () =>
  Effect.gen(function*() {
    const log = new Log()
    const { read } = yield* serving(log)
    log.failure = Effect.die(new Error("a bug"))
    const one = yield* read()
    yield* one.until(({ isClosed }) => isClosed)
    assert.isFalse(one.isWhole)
    log.failure = undefined
    log.append(1)
    const secondRead = yield* read()
    yield* secondRead.until(upTo(1))
  }).pipe(Effect.provide(silentLogger)))

it.effect("a handed-over response keeps no request context, and is not ended by the handler", () =>
  Effect.gen(function*() {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    response.on("drain", () => undefined)
    const fiber = yield* Effect.forkChild(Effect.provideService(takeOverResponse(response), Draining, yield* Draining))
    yield* Fiber.join(fiber)
    yield* Effect.yieldNow
    response.end()
    assert.deepStrictEqual([response.listenerCount("drain"), response.writableEnded], [0, false])
    assert.strictEqual(fiber.context.mapUnsafe.size, 0)
  }).pipe(Effect.provide(Draining.layer)))

it.effect("readers are disconnected when the scope of the streams closes", () =>
  Effect.gen(function*() {
    const log = new Log()
    const scope = yield* Scope.make()
    const { read } = yield* serving(log, scope)
    log.append(1)
    const one = yield* read()
    yield* one.until(upTo(1))
    yield* Scope.close(scope, Exit.void)
    yield* one.until(({ isClosed }) => isClosed)
    yield* log.until(0)
  }))

it.effect.each([true, false])(
  "when the process begins to stop, only an endless stream ends completely: %s",
  (isEndless) =>
    Effect.gen(function*() {
      const log = new Log()
      if (isEndless) Object.assign(log.source, { isEndless })
      const isOver = ({ isClosed, isWhole }: Reader) => isEndless ? isWhole : isClosed && !isWhole
      const { draining, read } = yield* serving(log)
      log.append(1)
      const readers = yield* Effect.forEach(from(1, 3), () => read())
      yield* Effect.forEach(readers, (reader) => reader.until(upTo(1)))
      yield* draining.begin
      yield* Effect.forEach(readers, (reader) => reader.until(isOver))
      const lateReader = yield* read()
      yield* lateReader.until(isOver)
      assert.deepStrictEqual(lateReader.numbers, [])
      yield* log.until(0)
    })
)
