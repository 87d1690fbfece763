import { assert, describe, it } from "@effect/vitest"
import { type FakeServer, type FakeSocket, makeFakeServer } from "@tapeline/wire"
import { Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  defaultReconnectPolicy,
  type Socket,
  type SocketEvent,
  SourceHealth,
  type SourceState
} from "../../src/index.ts"
import { mutationsOf } from "./mutations.ts"

/** A socket of an adapter, with a sample message and its decoded value. */
export interface SocketSuite<A, R> {
  readonly source: string
  /** Creates the adapter for a URL that begins with `ws:` and has no path. */
  readonly layer: (url: string) => Layer.Layer<R, never, SourceHealth>
  readonly socket: Effect.Effect<Socket<A>, never, R>
  /** The path at which the server accepts the socket. */
  readonly path: string
  /** The message with which the source confirms a subscription, if the source sends one. */
  readonly confirmation?: string
  /** A message, whose decoded value is `value`. */
  readonly message: object
  readonly value: A
  /** The paths of values, such as `o.s`, that decide whether the adapter ignores a message. */
  readonly ignoredLeaves?: ReadonlyArray<string>
}

const start = Date.parse("2026-11-20T12:00:00Z")
const { pingMs, silenceMs, maxPauseMs } = defaultReconnectPolicy

interface SocketBench<A> {
  readonly server: FakeServer
  readonly socket: Socket<A>
  readonly state: Effect.Effect<SourceState>
}

const yieldToEventLoop = TestClock.withLive(Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
}))

const withSocket = <A, R>(
  suite: SocketSuite<A, R>,
  use: (listening: SocketBench<A>) => Effect.Effect<void, never, Scope.Scope>,
  prepare: (server: FakeServer) => void = () => undefined
) =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const confirm = (wire: FakeSocket) =>
      suite.confirmation === undefined
        ? Effect.never
        : Effect.andThen(wire.received, Effect.sync(() => wire.send(suite.confirmation!)))
    const server = yield* makeFakeServer(
      () => Effect.succeed(null),
      ({ path }) => path === suite.path ? confirm : null
    )
    prepare(server)
    const layer = Layer.provideMerge(suite.layer(server.url.replace("http", "ws")), SourceHealth.layer)
    const context = yield* Layer.build(layer)
    const socket = yield* Effect.provideContext(suite.socket, context)
    const health = Effect.flatMap(SourceHealth, ({ states }) => Effect.map(states, (all) => all[0]!))
    yield* use({ server, socket, state: Effect.provideContext(health, context) })
  })).pipe(Effect.provide(Logger.layer([])))

const takeUntil = <A>({ socket }: SocketBench<A>, tag: SocketEvent<A>["_tag"]) =>
  Effect.gen(function*() {
    const takenEvents: Array<SocketEvent<A>> = []
    while (!takenEvents.some(({ _tag }) => _tag === tag)) takenEvents.push(...(yield* socket.take))
    return takenEvents
  })

/** Returns the outcome of one message: its value, or a gap. */
const takeOutcome = <A>({ socket }: SocketBench<A>) =>
  Effect.gen(function*() {
    for (;;) {
      const outcomes = (yield* socket.take).filter(({ _tag }) => _tag === "heard" || _tag === "gap")
      if (outcomes.length > 0) return outcomes
    }
  })

const assertReconnects = <A>(it: SocketBench<A>, from: number) =>
  Effect.gen(function*() {
    while ((yield* it.state).state !== "failing") yield* yieldToEventLoop
    yield* TestClock.adjust(maxPauseMs)
    yield* it.server.waitForSocket
    const gap = (yield* takeUntil(it, "up")).find(({ _tag }) => _tag === "gap")
    assert.isTrue(gap?._tag === "gap" && gap.from <= from, "the gap is not reported")
    assert.strictEqual((yield* it.state).state, "up")
  })

const foreignMessages = ["", "null", "5", "[]", "{}", `"pong!"`, "<html>", `{"error":"oops"}`, `{"code":1,"msg":"no"}`]

const testConnections = <A, R>(suite: SocketSuite<A, R>): void => {
  it.effect("reconnects after a drop, and reports the gap", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* takeUntil(it, "up")
        wire.terminate()
        yield* assertReconnects(it, start)
      })))

  it.effect("reconnects when it stalls in silence", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* takeUntil(it, "up")
        wire.stall()
        yield* TestClock.adjust(silenceMs - 1)
        assert.strictEqual((yield* it.state).state, "up")
        yield* TestClock.adjust(1)
        yield* assertReconnects(it, start)
      })))

  it.effect("sends a ping to check the connection", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* takeUntil(it, "up")
        yield* TestClock.adjust(pingMs)
        yield* Effect.raceFirst(wire.pinged, Effect.asVoid(wire.received))
      })))

  it.effect("does not reconnect after a block", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        while ((yield* it.state).state !== "blocked") yield* yieldToEventLoop
        yield* TestClock.adjust(maxPauseMs)
        assert.strictEqual(it.server.requests.length, 1)
      }), (server) => server.fail({ _tag: "answer", status: 451, body: "" })))
}

const testMessages = <A, R>(suite: SocketSuite<A, R>): void => {
  it.effect("returns no invalid value, whichever part of a message is malformed", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* takeUntil(it, "up")
        const right = JSON.stringify(suite.message)
        wire.send(right)
        assert.deepStrictEqual(yield* takeOutcome(it), [{ _tag: "heard", value: suite.value, at: start }])
        let rejectedCount = 0
        for (const { path, name, text } of mutationsOf(right, "last")) {
          if (suite.ignoredLeaves?.includes(path) === true) continue
          wire.send(text)
          const [outcome] = yield* takeOutcome(it)
          if (outcome!._tag === "gap") rejectedCount++
          else assert.deepStrictEqual(outcome, { _tag: "heard", value: suite.value, at: start }, name)
          // A valid message follows each malformed message, because consecutive unreadable messages would close the
          // connection.
          wire.send(right)
          yield* takeOutcome(it)
        }
        assert.isAbove(rejectedCount, 0)
      })))

  it.effect("returns no value for other messages", () =>
    withSocket(suite, (it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* takeUntil(it, "up")
        for (const text of foreignMessages) wire.send(text)
        wire.send(JSON.stringify(suite.message))
        const events = yield* takeUntil(it, "heard")
        assert.deepStrictEqual(events.filter(({ _tag }) => _tag === "heard"), [
          { _tag: "heard", value: suite.value, at: start }
        ])
      })))
}

/** Tests a socket with all kinds of connection failures. */
export const socketSuite = <A, R>(suite: SocketSuite<A, R>): void => {
  describe(`${suite.source}: a socket that fails`, () => {
    testConnections(suite)
    testMessages(suite)
  })
}
