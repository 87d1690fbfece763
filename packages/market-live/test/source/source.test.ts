import { assert, describe, it } from "@effect/vitest"
import type { SourceUnavailable } from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeFakeServer } from "@tapeline/wire"
import { Clock, Deferred, Effect, Exit, Fiber, Logger, Schema, type Scope } from "effect"
import { gzipSync } from "node:zlib"
import {
  Decimal,
  firstAvailable,
  makeSource,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceOptions
} from "../../src/source/index.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const timeoutMs = 7_013
const callTimeoutMs = 600_013
const guarded = { timeoutMs, callTimeoutMs, maxTries: 1 }

interface SourceFixture {
  readonly server: FakeServer
  readonly clock: AutoAdvancingClock
  readonly source: Source
  readonly health: SourceHealth["Service"]
  readonly logLines: ReadonlyArray<string>
}

const Price = Schema.Struct({ price: Decimal })
const price = { label: "prices", path: "/price", schema: Price }

const testSource = (
  use: (fixture: SourceFixture) => Effect.Effect<void, SourceUnavailable, Scope.Scope | SourceHealth>,
  options: Partial<SourceOptions> = {},
  retryPolicy: Partial<RetryPolicy> = {}
): Effect.Effect<void, SourceUnavailable> => {
  const clock = new AutoAdvancingClock(now, [timeoutMs, callTimeoutMs])
  const logLines: Array<string> = []
  const logger = Logger.make(({ message }) => void logLines.push(String(message)))
  return Effect.scoped(Effect.gen(function*() {
    let n = 0
    const server = yield* makeFakeServer(() => Effect.sync(() => ({ body: { price: String(++n) } })))
    const source = yield* makeSource({
      name: "mill",
      baseUrl: server.url,
      limits: [],
      ...options,
      retryPolicy: { ...guarded, ...retryPolicy }
    })
    yield* use({ server, clock, source, health: yield* SourceHealth, logLines })
  })).pipe(
    Effect.provide(SourceHealth.layer),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(Clock.Clock, clock)
  )
}

const stateOf = ({ health }: SourceFixture) => Effect.map(health.states, (states) => states[0]!)

const refusalOf = (ask: Effect.Effect<unknown, SourceUnavailable>) =>
  Effect.flip(Effect.andThen(ask, Effect.die("the request succeeded despite the fault")))

/** Waits for a condition that becomes true in real time. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let turns = 0; !condition(); turns++) {
      assert.isBelow(turns, 1_000_000)
      yield* Effect.callback<void>((resume) => {
        setImmediate(() => resume(Effect.void))
      })
    }
  })

describe("a source that fails repeatedly", () => {
  const retryPolicy = { failuresToOpen: 3, openMs: 10_000, maxOpenMs: 25_000 }

  it.live("is paused, tried once after the pause, and paused for longer if it fails again", () =>
    testSource(
      (it) =>
        Effect.gen(function*() {
          const { clock, server, source } = it
          server.fail({ _tag: "answer", status: 500, body: "" })
          const ask = source.json(price)
          for (let i = 0; i < 3; i++) yield* refusalOf(ask)
          assert.strictEqual(server.requests.length, 3)
          for (const openMs of [10_000, 20_000, 25_000, 25_000]) {
            const before = server.requests.length
            const error = yield* refusalOf(ask)
            assert.deepStrictEqual([error.failure, error.retryable, error.retryAfterMs], [
              "unreachable",
              true,
              openMs
            ])
            assert.match(error.reason, /^server error \(status 500\); \d+ consecutive failures/u)
            assert.strictEqual(server.requests.length, before)
            assert.strictEqual((yield* stateOf(it)).breaker, "open")
            clock.advance(openMs)
            assert.strictEqual((yield* stateOf(it)).breaker, "half_open")
            yield* refusalOf(ask)
            assert.strictEqual(server.requests.length, before + 1)
          }
          server.heal()
          clock.advance(25_000)
          yield* ask
          const recoveredState = yield* stateOf(it)
          assert.deepStrictEqual([recoveredState.breaker, recoveredState.state], ["closed", "up"])
        }),
      {},
      retryPolicy
    ))

  it.live("is tried by only one caller after the pause, and by the next if that caller leaves", () =>
    testSource(
      ({ clock, server, source }) =>
        Effect.gen(function*() {
          server.fail({ _tag: "answer", status: 500, body: "" }, 3)
          const ask = (n: number) => source.json({ ...price, query: { n } })
          for (let i = 0; i < 3; i++) yield* refusalOf(ask(i))
          clock.advance(10_000)
          server.fail({ _tag: "silent" }, 1)
          const first = yield* Effect.forkChild(ask(3))
          yield* server.waitForHeldRequest
          assert.strictEqual((yield* refusalOf(ask(4))).failure, "unreachable")
          assert.strictEqual(server.requests.length, 4)
          yield* Fiber.interrupt(first)
          yield* until(() => server.openRequests() === 0)
          yield* ask(5)
          assert.strictEqual(server.requests.length, 5)
        }),
      {},
      retryPolicy
    ))
})

it.live("keeps the pause of a rate limit when earlier requests are answered later", () =>
  testSource(Effect.fnUntraced(function*() {
    const hasRequested = yield* Deferred.make<void>()
    const limited = yield* Deferred.make<void>()
    const answers = [
      { status: 429, headers: { "retry-after": "60" }, body: "" },
      { status: 429, body: "" }
    ]
    // The server responds to the first two requests only after it has rejected the third request.
    const server = yield* makeFakeServer(({ query }) =>
      Effect.gen(function*() {
        const n = Number(query.get("n"))
        if (n === 1) yield* Deferred.succeed(hasRequested, undefined)
        if (n < 2) yield* Deferred.await(limited)
        return [{ body: { price: "1" } }, answers[1]!, answers[0]!][n] ?? null
      })
    )
    const source = yield* makeSource({
      name: "mill",
      part: "busy",
      baseUrl: server.url,
      limits: [],
      retryPolicy: guarded
    })
    const ask = (n: number) => source.json({ ...price, query: { n } })
    const first = yield* Effect.forkChild(ask(0))
    const second = yield* Effect.forkChild(Effect.exit(ask(1)))
    yield* Deferred.await(hasRequested)
    assert.strictEqual((yield* refusalOf(ask(2))).retryAfterMs, 60_000)
    yield* Deferred.succeed(limited, undefined)
    yield* Fiber.join(first)
    yield* Fiber.join(second)
    const error = yield* refusalOf(ask(3))
    assert.deepStrictEqual([error.failure, error.retryAfterMs], ["rate_limited", 60_000])
    assert.lengthOf(server.requests, 3)
  })))

it.live("drops pauses that began while the clock was ahead", () =>
  testSource(({ clock, server, source }) =>
    Effect.gen(function*() {
      const day = 86_400_000
      const faults = [
        { status: 500, body: "" },
        { status: 429, headers: { "retry-after": "60" }, body: "" },
        { status: 451, body: "" }
      ]
      for (const [i, fault] of faults.entries()) {
        const ask = (n: number) => source.json({ ...price, query: { n: 10 * i + n } })
        clock.advance(day)
        server.fail({ _tag: "answer", ...fault })
        for (let n = 0; n < 5; n++) yield* refusalOf(ask(n))
        const before = server.requests.length
        yield* refusalOf(ask(5))
        assert.strictEqual(server.requests.length, before)
        server.heal()
        clock.advance(-day)
        yield* ask(6)
      }
    })
  ))

describe("callers of one source", () => {
  it.live("share one request, which lasts as long as one of them waits", () =>
    testSource(({ server, source }) =>
      Effect.gen(function*() {
        server.fail({ _tag: "silent" }, 1)
        const [a, b, c] = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(source.json(price)))
        yield* server.waitForHeldRequest
        yield* Fiber.interrupt(a!)
        assert.strictEqual(server.openRequests(), 1)
        yield* Fiber.interrupt(b!)
        assert.strictEqual(server.openRequests(), 1)
        yield* Fiber.interrupt(c!)
        yield* until(() => server.openRequests() === 0)
        assert.strictEqual(server.requests.length, 1)
        assert.strictEqual((yield* source.json(price)).value.price, 1)
        const [d, e] = yield* Effect.all([source.json(price), source.json(price)], { concurrency: 2 })
        assert.deepStrictEqual([d.value.price, e.value.price], [2, 2])
      })
    ))

  it.live("get a cached response until it expires, and never a cached failure", () =>
    testSource(({ clock, server, source }) =>
      Effect.gen(function*() {
        const ask = source.json({ ...price, cacheMs: 60_000 })
        server.fail({ _tag: "answer", status: 500, body: "" }, 1)
        yield* refusalOf(ask)
        const first = yield* ask
        clock.advance(59_999)
        assert.deepStrictEqual(yield* ask, first)
        clock.advance(1)
        assert.strictEqual((yield* ask).value.price, 2)
        clock.advance(-3_600_000)
        assert.strictEqual((yield* ask).value.price, 3, "a clock that was set back does not extend the cache time")
      })
    ))

  it.live("get a long-lived cached response after many short-lived ones were cached", () =>
    testSource(({ clock, server, source }) =>
      Effect.gen(function*() {
        const ask = (n: number, cacheMs: number) => source.json({ ...price, query: { n }, cacheMs })
        const first = yield* ask(0, 3_600_000)
        for (let n = 1; n <= 600; n++) {
          yield* ask(n, 1_000)
          clock.advance(1_000)
        }
        assert.deepStrictEqual(yield* ask(0, 3_600_000), first)
        assert.lengthOf(server.requests, 601)
      })
    ))

  it.live("wait in a bounded queue, and fail at once when it is full", () =>
    testSource(
      (it) =>
        Effect.gen(function*() {
          const { clock, server, source } = it
          server.fail({ _tag: "silent" }, 1)
          const ask = (n: number) => source.json({ ...price, query: { n } })
          const first = yield* Effect.forkChild(Effect.exit(ask(0)))
          yield* server.waitForHeldRequest
          const others = yield* Effect.forEach([1, 2], (n) => Effect.forkChild(ask(n), { startImmediately: true }))
          yield* until(() => Effect.runSync(stateOf(it)).waiting === 2)
          const error = yield* refusalOf(ask(3))
          assert.deepStrictEqual([error.failure, error.retryable, server.requests.length], [
            "rate_limited",
            true,
            1
          ])
          assert.isAbove(error.retryAfterMs!, 0)
          clock.expireFirst()
          assert.isTrue(Exit.isFailure(yield* Fiber.join(first)))
          for (const other of others) yield* Fiber.join(other)
          assert.deepStrictEqual([server.requests.length, (yield* stateOf(it)).waiting], [3, 0])
        }),
      {},
      { concurrency: 1, maxWaiting: 2 }
    ))

  it.live("fail after the call timeout even if the request timeout is longer", () =>
    testSource(
      ({ clock, server, source }) =>
        Effect.gen(function*() {
          server.fail({ _tag: "silent" })
          const pendingError = yield* Effect.forkChild(refusalOf(source.json(price)))
          yield* server.waitForHeldRequest
          clock.expireFirst()
          assert.strictEqual((yield* Fiber.join(pendingError)).failure, "unreachable")
          yield* until(() => server.openRequests() === 0)
        }),
      {},
      { timeoutMs: 900_000, callTimeoutMs }
    ))
})

describe("a response", () => {
  it.live("is limited by its decompressed size", () =>
    testSource(({ server, source }) =>
      Effect.gen(function*() {
        const packed = gzipSync(Buffer.alloc(4 * 1024 * 1024, "1"))
        assert.isBelow(packed.length, 64 * 1024)
        server.fail({ _tag: "bytes", bytes: packed, headers: { "content-encoding": "gzip" } })
        const { failure, reason } = yield* refusalOf(source.json({ ...price, maxBytes: 64 * 1024 }))
        assert.deepStrictEqual([failure, reason], ["unreachable", "the response exceeds 65536 bytes"])
        assert.strictEqual(server.requests.length, 1, "the request is not repeated")
        for (let i = 0; i < 10; i++) yield* refusalOf(source.json({ ...price, maxBytes: 64 * 1024 }))
        server.heal()
        yield* source.json(price)
      })
    ))

  it.live("is null if the source reports that the value does not exist", () =>
    testSource((it) =>
      Effect.gen(function*() {
        const { server, source } = it
        const isAbsent = (body: unknown, status: number) => status === 404 && JSON.stringify(body) === `{"code":-1}`
        server.fail({ _tag: "answer", status: 404, body: { code: -1 } })
        assert.isNull((yield* source.find({ ...price, isAbsent })).value)
        assert.strictEqual((yield* stateOf(it)).state, "up")
        server.fail({ _tag: "answer", status: 404, body: { code: -2 } })
        assert.strictEqual((yield* refusalOf(source.find({ ...price, isAbsent }))).failure, "malformed")
      })
    ))

  it.live("causes one warning if the source's clock differs, and keeps the source's times", () =>
    testSource((it) =>
      Effect.gen(function*() {
        const { server, source, logLines } = it
        server.fail({ _tag: "dated", date: (time) => new Date(time + 60_000).toUTCString() })
        const { date, receivedAt } = yield* source.json(price)
        assert.deepStrictEqual([date, receivedAt], [now + 60_000, now])
        yield* source.json(price)
        assert.deepStrictEqual(logLines, [
          "the clocks of mill and of this machine differ by 61 s: check this machine's clock"
        ])
        server.heal()
        yield* source.json(price)
        assert.closeTo((yield* stateOf(it)).skewMs!, 0, 1_000)
        assert.lengthOf(logLines, 1)
      })
    ))
})

it.live("reveals no key in errors or in the source's state", () => {
  const secret = "5ecre7-key"
  return testSource((it) =>
    Effect.gen(function*() {
      const { server, source } = it
      const ask = source.json({ ...price, path: `/${secret}/price`, query: { key: secret } })
      for (const status of [401, 404, 429, 500, 200]) {
        server.fail({ _tag: "answer", status, body: { error: secret, [secret]: 1 } })
        const error = yield* refusalOf(ask)
        assert.notInclude(JSON.stringify(error) + error.message, secret)
        it.clock.advance(10_000)
      }
      const unreachable = yield* makeSource({
        name: "gone",
        baseUrl: "http://127.0.0.1:9",
        limits: [],
        retryPolicy: guarded
      })
      assert.notInclude(
        JSON.stringify(yield* refusalOf(unreachable.json({ ...price, query: { key: secret } }))),
        secret
      )
      assert.notInclude(JSON.stringify(yield* it.health.states), secret)
      assert.strictEqual(server.requests[0]?.headers["x-key"], secret)
    }), { headers: { "x-key": secret }, variable: "MILL_KEY" })
})

it.live("interrupts its requests when its scope closes", () =>
  testSource(({ server }) =>
    Effect.gen(function*() {
      server.fail({ _tag: "silent" })
      const exitSignal = yield* Deferred.make<Exit.Exit<unknown, unknown>>()
      yield* Effect.scoped(Effect.gen(function*() {
        const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], retryPolicy: { timeoutMs } })
        yield* Effect.forkDetach(Effect.onExit(source.json(price), (exit) => Deferred.succeed(exitSignal, exit)))
        yield* server.waitForHeldRequest
      })).pipe(Effect.provide(SourceHealth.layer))
      assert.isTrue(Exit.isFailure(yield* Deferred.await(exitSignal)))
      yield* until(() => server.openRequests() === 0)
    })
  ))

it.live("requests the next source only while the first one is blocked", () =>
  testSource(({ server, source }) =>
    Effect.gen(function*() {
      const next = yield* makeSource({ name: "other", baseUrl: server.url, limits: [], retryPolicy: guarded })
      const ask = firstAvailable([source.json(price), next.json({ ...price, query: { of: "next" } })])
      assert.strictEqual((yield* ask).value.price, 1)
      server.fail({ _tag: "answer", status: 500, body: "" }, 1)
      assert.strictEqual((yield* refusalOf(ask)).source, "mill")
      server.fail({ _tag: "answer", status: 451, body: "" }, 1)
      assert.strictEqual((yield* ask).value.price, 2)
      assert.strictEqual((yield* ask).value.price, 3)
      assert.deepStrictEqual(server.requests.map(({ query }) => query.get("of")), [null, null, null, "next", "next"])
      server.fail({ _tag: "answer", status: 451, body: "" }, 1)
      const error = yield* refusalOf(ask)
      assert.deepStrictEqual([error.source, error.failure], ["other", "blocked"])
    }), { next: "other" }))
