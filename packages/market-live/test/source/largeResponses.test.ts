import { assert, it } from "@effect/vitest"
import { AutoAdvancingClock } from "@tapeline/wire"
import { Clock, type Duration, Effect, Fiber, Schema } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { makeSource, SourceHealth } from "../../src/source/index.ts"

const now = Date.parse("2026-11-20T12:00:00Z")
const timeoutMs = 7_013
const callTimeoutMs = 600_013

/** A clock that counts its reads and sleeps. The counts show how far the tested code has run. */
class WatchedClock extends AutoAdvancingClock {
  readCount = 0
  waitCount = 0

  override currentTimeMillisUnsafe(): number {
    this.readCount++
    return super.currentTimeMillisUnsafe()
  }

  override sleep(duration: Duration.Duration): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.waitCount++
      return super.sleep(duration)
    })
  }
}

const turns = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let turn = 0; turn < 1_000_000 && !condition(); turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.isTrue(condition())
  })

const piecewise = Effect.acquireRelease(
  Effect.promise(async () => {
    const answers: Array<ServerResponse> = []
    const server = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      answers.push(response)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (address === null || typeof address === "string") return assert.fail("the server has no port")
    return { answers, server, url: `http://127.0.0.1:${address.port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const large = {
  label: "facts",
  path: "/",
  schema: Schema.Array(Schema.Number),
  maxBytes: 64 * 1024 * 1024,
  cacheMs: 60_000_000
}

const readLarge = Effect.fnUntraced(function*(maxTries = 1) {
  const { answers, url } = yield* piecewise
  // The tested source uses the clock only for time limits, so each sleep is the start of a time limit.
  const clock = new WatchedClock(now, () => true)
  const retryPolicy = { timeoutMs, callTimeoutMs, maxTries, largeResponseMs: 2 * callTimeoutMs, failuresToOpen: 5 }
  const source = yield* Effect.provideService(
    makeSource({ name: "mill", baseUrl: url, limits: [], retryPolicy }),
    Clock.Clock,
    clock
  )
  return {
    answers,
    clock,
    ask: (request: Partial<typeof large> = {}) =>
      Effect.provideService(source.json({ ...large, ...request }), Clock.Clock, clock),
    /** Sends a part of the response before the source stops waiting, and then lets the current time limit expire. */
    piece: (text: string, isOver: () => boolean = () => false) =>
      Effect.gen(function*() {
        clock.advance(timeoutMs >> 1)
        const { readCount } = clock
        answers[0]!.write(text)
        yield* turns(() => clock.readCount > readCount)
        const { waitCount } = clock
        clock.expireFirst()
        yield* turns(() => clock.waitCount > waitCount || isOver())
      })
  }
})

it.live(
  "waits beyond the call timeout for a large response that keeps arriving",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { answers, ask, clock, piece } = yield* readLarge()
      const pendingResponse = yield* Effect.forkChild(ask())
      yield* turns(() => answers.length === 1)
      yield* piece("[1")
      while (clock.currentTimeMillisUnsafe() - now < 1.2 * callTimeoutMs) yield* piece(",1")
      answers[0]!.end("]")
      const { value } = yield* Fiber.join(pendingResponse)
      assert.isAbove(value.length, 60)
    })).pipe(Effect.provide(SourceHealth.layer)),
  30_000
)

it.live(
  "gives up a large response that stalls or never ends, and a small one after the usual timeout",
  () =>
    Effect.scoped(Effect.gen(function*() {
      for (
        const [description, rounds, reason] of [["stalled", 1, /stalled/u], ["endless", 1_000, /did not end/u]] as const
      ) {
        const { answers, ask, clock, piece } = yield* readLarge()
        const pendingFailure = yield* Effect.forkChild(Effect.flip(ask()))
        yield* turns(() => answers.length === 1)
        const isOver = () => pendingFailure.pollUnsafe() !== undefined
        for (let i = 0; i < rounds && !isOver(); i++) yield* piece(i === 0 ? "[1" : ",1", isOver)
        if (description === "stalled") clock.expireFirst()
        assert.match((yield* Fiber.join(pendingFailure)).reason, reason)
        assert.isAtMost(clock.currentTimeMillisUnsafe() - now, 2.1 * callTimeoutMs)
      }
      const { answers, ask, clock } = yield* readLarge()
      const pendingFailure = yield* Effect.forkChild(Effect.flip(ask({ maxBytes: 1_024 })))
      yield* turns(() => answers.length === 1)
      answers[0]!.write("[1")
      clock.expireFirst()
      assert.match((yield* Fiber.join(pendingFailure)).reason, /no response/u)
    })).pipe(Effect.provide(SourceHealth.layer)),
  30_000
)

it.live(
  "gives up a stalled large response without a retry, and opens the circuit after five of them",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { answers, ask, clock } = yield* readLarge(3)
      for (let nth = 0; nth < 5; nth++) {
        const beganAt = clock.currentTimeMillisUnsafe()
        const pendingFailure = yield* Effect.forkChild(Effect.flip(ask()))
        yield* turns(() => answers.length === nth + 1)
        clock.advance(13)
        const { readCount } = clock
        answers[nth]!.write("[1")
        yield* turns(() => clock.readCount > readCount)
        const { waitCount } = clock
        clock.expireFirst()
        yield* turns(() => clock.waitCount > waitCount)
        clock.expireFirst()
        yield* turns(() => pendingFailure.pollUnsafe() !== undefined || clock.waitCount > waitCount + 1)
        const { failure, reason, source } = yield* Fiber.join(pendingFailure)
        assert.deepStrictEqual([source, failure, reason], ["mill", "unreachable", "the response stalled for 8 s"])
        assert.strictEqual(clock.currentTimeMillisUnsafe() - beganAt, timeoutMs + 13)
      }
      assert.match((yield* Effect.flip(ask())).reason, /5 consecutive failures/u)
      assert.lengthOf(answers, 5)
    })).pipe(Effect.provide(SourceHealth.layer)),
  30_000
)

it.live("keeps an abandoned large response for the next caller", () =>
  Effect.scoped(Effect.gen(function*() {
    const { answers, ask } = yield* readLarge()
    const first = yield* Effect.forkChild(ask())
    yield* turns(() => answers.length === 1)
    yield* Fiber.interrupt(first)
    answers[0]!.end("[7]")
    assert.deepStrictEqual((yield* ask()).value, [7])
    assert.lengthOf(answers, 1)
  })).pipe(Effect.provide(SourceHealth.layer)), 30_000)

it.live(
  "ends abandoned large responses to make room for new ones, and never an awaited one",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { answers, ask } = yield* readLarge()
      const asks = (path: string) => Effect.forkChild(ask({ path }))
      const left = yield* Effect.forEach(["/a", "/b", "/c", "/d"], asks)
      yield* turns(() => answers.length === 4)
      yield* Fiber.interruptAll(left)
      const countClosed = () => answers.filter(({ closed }) => closed).length
      const ownResponse = yield* asks("/own")
      yield* turns(() => answers.length === 5 && countClosed() === 1)
      const laterResponses = yield* Effect.forEach(["/e", "/f", "/g"], asks)
      yield* turns(() => answers.length === 8 && countClosed() === 4)
      const waits = yield* asks("/waits")
      yield* Effect.yieldNow
      yield* Fiber.interrupt(laterResponses[0]!)
      yield* turns(() => answers.length === 9 && countClosed() === 5)
      answers[4]!.end("[7]")
      answers[8]!.end("[8]")
      assert.deepStrictEqual((yield* Fiber.join(ownResponse)).value, [7])
      assert.deepStrictEqual((yield* Fiber.join(waits)).value, [8])
    })).pipe(Effect.provide(SourceHealth.layer)),
  30_000
)
