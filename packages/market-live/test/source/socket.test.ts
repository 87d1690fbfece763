import { assert, describe, it } from "@effect/vitest"
import { type FakeServer, type FakeSocket, makeFakeServer } from "@tapeline/wire"
import { Effect, Logger, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  makeSocket,
  type ReconnectPolicy,
  type Socket,
  type SocketEvent,
  type SocketOptions,
  SourceHealth
} from "../../src/source/index.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const reconnectPolicy = { connectMs: 15_000, pingMs: 20_000, silenceMs: 60_000, pauseMs: 1_000, maxPauseMs: 30_000 }

interface SocketFixture {
  readonly server: FakeServer
  readonly socket: Socket<number>
  readonly health: SourceHealth["Service"]
  /** Takes events until `count` events of a kind have arrived. */
  readonly until: (
    tag: SocketEvent<number>["_tag"],
    count?: number
  ) => Effect.Effect<ReadonlyArray<SocketEvent<number>>>
}

const read: SocketOptions<number>["read"] = (text) => {
  const value = Number(text)
  return Number.isFinite(value) ? Result.succeed([value]) : Result.fail("no number")
}

const listening = (
  use: (listening: SocketFixture) => Effect.Effect<void, never, Scope.Scope>,
  options: Partial<SocketOptions<number>> = {},
  policyChanges: Partial<ReconnectPolicy> = {},
  prepare: (server: FakeServer) => void = () => undefined
) =>
  Effect.scoped(Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const server = yield* makeFakeServer(() => Effect.succeed(null), () => () => Effect.never)
    prepare(server)
    const socket = yield* makeSocket({
      name: "mill",
      part: "trades",
      url: server.url.replace("http", "ws"),
      read,
      ...options,
      reconnectPolicy: { ...reconnectPolicy, ...policyChanges }
    })
    const until: SocketFixture["until"] = (tag, count = 1) =>
      Effect.gen(function*() {
        const takenEvents: Array<SocketEvent<number>> = []
        while (takenEvents.filter(({ _tag }) => _tag === tag).length < count) takenEvents.push(...(yield* socket.take))
        return takenEvents
      })
    yield* use({ server, socket, health: yield* SourceHealth, until })
  })).pipe(Effect.provide(SourceHealth.layer), Effect.provide(Logger.layer([])))

const stateOf = ({ health }: SocketFixture) => Effect.map(health.states, (states) => states[0]!)

/** Runs one turn of the real event loop without advancing the test clock. */
const turn = TestClock.withLive(Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
}))
const waitUntil = Effect.fnUntraced(function*(condition: () => boolean) {
  for (let turns = 0; !condition(); turns++) {
    assert.isBelow(turns, 1_000_000)
    yield* turn
  }
})

/** Waits for a ping and a pong, which prove that the connection works. */
const awaitAlive = Effect.fnUntraced(function*({ until }: SocketFixture, wire: FakeSocket) {
  yield* TestClock.adjust(reconnectPolicy.pingMs)
  yield* wire.pinged
  return yield* until("alive")
})

describe("a socket", () => {
  it.effect("reports its messages, and the time until which it has missed none", () =>
    listening((it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        assert.deepStrictEqual(yield* it.until("up"), [{ _tag: "up", at: start }])
        assert.strictEqual(yield* wire.received, "subscribe")
        wire.send("1")
        wire.send("2.5")
        assert.deepStrictEqual(yield* it.until("heard", 2), [
          { _tag: "heard", value: 1, at: start },
          { _tag: "heard", value: 2.5, at: start }
        ])
        assert.deepStrictEqual(yield* awaitAlive(it, wire), [{ _tag: "alive", at: start + 19_000 }])
        assert.deepStrictEqual(yield* awaitAlive(it, wire), [{ _tag: "alive", at: start + 39_000 }])
        assert.strictEqual((yield* stateOf(it)).state, "up")
      }), { initialMessages: ["subscribe"], lagMs: 1_000 }))

  it.effect("reconnects after a drop, and reports the gap", () =>
    listening((it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* it.until("up")
        yield* awaitAlive(it, wire)
        yield* TestClock.adjust(7_000)
        wire.terminate()
        yield* waitUntil(() => it.server.openSockets() === 0)
        while ((yield* stateOf(it)).state !== "failing") yield* turn
        yield* TestClock.adjust(1_000)
        yield* it.server.waitForSocket
        const now = start + 28_000
        assert.deepStrictEqual(yield* it.until("up"), [
          { _tag: "gap", from: start + 20_000, to: now, why: "the connection was closed (1006)" },
          { _tag: "up", at: now }
        ])
        assert.strictEqual((yield* stateOf(it)).state, "up")
      })
    ))

  it.effect("reconnects once the silence deadline has passed", () =>
    listening((it) =>
      Effect.gen(function*() {
        const wire = yield* it.server.waitForSocket
        yield* it.until("up")
        yield* awaitAlive(it, wire)
        wire.stall()
        yield* TestClock.adjust(reconnectPolicy.silenceMs - 1)
        assert.strictEqual((yield* stateOf(it)).state, "up")
        yield* TestClock.adjust(1)
        const { lastFault, state } = yield* stateOf(it)
        assert.deepStrictEqual([state, lastFault?.reason], ["failing", "no data for 60 s"])
        yield* TestClock.adjust(1_000)
        yield* it.server.waitForSocket
        const events = yield* it.until("up")
        const to = start + 20_000 + 60_000 + 1_000
        assert.deepStrictEqual(events[0], { _tag: "gap", from: start + 20_000, to, why: "no data for 60 s" })
      })
    ))

  it.effect("queues at most its maximum for a slow reader, and reports the gap", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          const wire = yield* it.server.waitForSocket
          yield* it.until("up")
          yield* TestClock.adjust(500)
          for (let i = 0; i < 1_000; i++) wire.send(String(i))
          while ((yield* stateOf(it)).successes < 1_001) yield* turn
          assert.strictEqual((yield* stateOf(it)).waiting, 8)
          const takenEvents = yield* it.socket.take
          assert.deepStrictEqual(takenEvents.map((event) => event._tag === "heard" ? event.value : -1), [
            0,
            1,
            2,
            3,
            4,
            5,
            6,
            7
          ])
          yield* TestClock.adjust(400)
          wire.send("1000")
          assert.deepStrictEqual(yield* it.until("heard"), [
            { _tag: "gap", from: start + 500, to: start + 900, why: "the reader is too slow" },
            { _tag: "heard", value: 1_000, at: start + 900 }
          ])
        }),
      {},
      { maxQueued: 8 }
    ))

  it.effect("reports an unreadable message as a gap, and disconnects after several of them", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          const wire = yield* it.server.waitForSocket
          yield* it.until("up")
          wire.send("NaN")
          const [gap] = yield* it.until("gap")
          assert.deepStrictEqual(gap, { _tag: "gap", from: start, to: start, why: "its message: no number" })
          wire.send("7")
          assert.deepStrictEqual(yield* it.until("heard"), [{ _tag: "heard", value: 7, at: start }])
          assert.strictEqual((yield* stateOf(it)).faults.malformed, 1)
          for (const text of ["", "null", "{"]) wire.send(`x${text}`)
          yield* waitUntil(() => it.server.openSockets() === 0)
        }),
      {},
      { maxUnreadable: 3 }
    ))

  it.effect("disconnects when a message exceeds the maximum size", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          const wire = yield* it.server.waitForSocket
          yield* it.until("up")
          wire.send("1".repeat(100_000))
          yield* waitUntil(() => it.server.openSockets() === 0)
          while ((yield* stateOf(it)).state !== "failing") yield* turn
          yield* TestClock.adjust(1_000)
          yield* it.server.waitForSocket
          assert.include((yield* it.until("up")).map(({ _tag }) => _tag), "gap")
        }),
      {},
      { maxBytes: 10_000 }
    ))

  it.effect("is up once its subscription is confirmed, and reconnects if the confirmation is late", () =>
    listening((it) =>
      Effect.gen(function*() {
        const first = yield* it.server.waitForSocket
        yield* first.received
        yield* TestClock.adjust(reconnectPolicy.connectMs)
        assert.strictEqual((yield* stateOf(it)).lastFault?.reason, "no confirmation within 15 s")
        yield* TestClock.adjust(1_000)
        const second = yield* it.server.waitForSocket
        second.send("confirmed")
        const at = start + 16_000
        assert.deepStrictEqual(yield* it.until("up"), [{ _tag: "up", at }])
      }), { initialMessages: ["subscribe"], isConfirmation: (text) => text === "confirmed" }))

  it.effect("closes with its scope", () =>
    Effect.gen(function*() {
      let server: FakeServer | undefined
      yield* Effect.scoped(Effect.gen(function*() {
        server = yield* makeFakeServer(() => Effect.succeed(null), () => () => Effect.never)
        const url = server.url.replace("http", "ws")
        yield* Effect.scoped(Effect.gen(function*() {
          const socket = yield* makeSocket({ name: "mill", part: "trades", url, read })
          yield* socket.take
          assert.strictEqual(server!.openSockets(), 1)
        })).pipe(Effect.provide(SourceHealth.layer))
        yield* waitUntil(() => server!.openSockets() === 0)
      }))
    }))
})

describe("a socket that cannot connect", () => {
  const refusing = (status: number, headers: Readonly<Record<string, string>> = {}) => (server: FakeServer) =>
    server.fail({ _tag: "answer", status, headers, body: "" })
  const failed = (it: SocketFixture, count: number) => waitUntil(() => it.server.requests.length === count)
  const failing = Effect.fnUntraced(function*(it: SocketFixture) {
    while ((yield* stateOf(it)).lastFault === null) yield* turn
  })

  it.effect("retries after pauses that grow up to a maximum", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          yield* failed(it, 1)
          for (const [nth, pause] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
            while ((yield* stateOf(it)).faults.unreachable < nth + 1) yield* turn
            yield* TestClock.adjust(pause / 2 - 1)
            assert.strictEqual(it.server.requests.length, nth + 1)
            yield* TestClock.adjust(pause / 2 + 1)
            yield* failed(it, nth + 2)
          }
        }),
      {},
      {},
      refusing(500)
    ))

  it.effect("waits half an hour after a block, and names the next source", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          yield* failing(it)
          const { lastFault, next, state } = yield* stateOf(it)
          assert.deepStrictEqual([state, lastFault?.failure, next], ["blocked", "blocked", "bybit"])
          assert.match(lastFault!.reason, /status 451.*bybit has the same data/u)
          yield* TestClock.adjust(1_800_000 - 1)
          assert.strictEqual(it.server.requests.length, 1)
          it.server.heal()
          yield* TestClock.adjust(1)
          yield* it.server.waitForSocket
          yield* it.until("up")
          assert.strictEqual((yield* stateOf(it)).state, "up")
        }),
      { next: "bybit" },
      {},
      refusing(451)
    ))

  it.effect("does not retry before a rate limit ends", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          yield* failing(it)
          assert.strictEqual((yield* stateOf(it)).state, "limited")
          yield* TestClock.adjust(119_999)
          assert.strictEqual(it.server.requests.length, 1)
          it.server.heal()
          yield* TestClock.adjust(1)
          yield* it.server.waitForSocket
        }),
      {},
      {},
      refusing(429, { "retry-after": "120" })
    ))

  it.effect("gives up a connection attempt without a response in time", () =>
    listening(
      (it) =>
        Effect.gen(function*() {
          yield* it.server.waitForHeldRequest
          yield* TestClock.adjust(reconnectPolicy.connectMs)
          assert.strictEqual((yield* stateOf(it)).lastFault?.failure, "unreachable")
          it.server.heal()
          yield* TestClock.adjust(1_000)
          yield* it.server.waitForSocket
        }),
      {},
      {},
      (server) => server.fail({ _tag: "silent" })
    ))
})
