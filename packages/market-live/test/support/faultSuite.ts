import { assert, describe, it } from "@effect/vitest"
import { SourceUnavailable } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import {
  AutoAdvancingClock,
  blocks,
  clockSkews,
  type FakeFault,
  type FakeServer,
  foreignJson,
  longRateLimits,
  makeFakeServer,
  redirections,
  type RequestHandler,
  shortRateLimits,
  transientFaults,
  unreadableBodies
} from "@tapeline/wire"
import { Clock, Effect, Exit, Layer, Logger, type Scope } from "effect"
import { type RetryPolicy, SourceHealth, type SourceResponse, type SourceState } from "../../src/index.ts"
import { assertEqualForAnyClock, assertEqualOrMissingOne } from "./comparisons.ts"
import { pickBySeed } from "./drawn.ts"
import { mutationsOf, type RecordPosition, recordPositions, sampleMutations } from "./mutations.ts"

export interface RequestCase<R> {
  readonly name: string
  readonly send: Effect.Effect<SourceResponse<unknown>, SourceUnavailable, R>
  /** The paths of values that may be null or absent in the payload, such as `symbols.price`, without list indices. */
  readonly optionalLeaves?: ReadonlyArray<string>
  /**
   * Whether the last record of the list belongs to another item, so that errors in the record do not change the result.
   */
  readonly isForeign?: true
  /** The position of the record that the adapter reads, if the adapter reads only one record of each list. */
  readonly position?: RecordPosition
  /** Whether the adapter skips a malformed record, logs its name, and returns the other records (`lenientList`). */
  readonly skipsMalformed?: true
  /**
   * The part of the result that depends on the clock: the newest `rows`, or the `time` if the source reports no time.
   */
  readonly byClock?: "rows" | "time"
}

export interface FaultSuite<R> {
  /** The name of the source, and the HTTP handler of the fake source without faults. */
  readonly source: string
  readonly handleRequest: RequestHandler
  readonly now: number
  readonly layer: (baseUrl: string, retryPolicy: Partial<RetryPolicy>) => Layer.Layer<R, never, SourceHealth>
  /** The requests to test. The first request to Binance should have a small response. */
  readonly requests: ReadonlyArray<RequestCase<R>>
  /** Whether the adapter sends an API key. */
  readonly hasKey?: boolean
  /** The body of the 403 response that means a rate limit, if the source sends one. */
  readonly limitedBy403?: string
  /** Whether the source has a firewall that responds with 403 and accepts the address again after five minutes. */
  readonly hasFirewall?: boolean
  /** Bodies of 200 responses that report an error, and the failure that the adapter reports for each body. */
  readonly errorsInBody: Readonly<Record<string, readonly [body: unknown, failure: SourceUnavailable["failure"]]>>
}

const retryPolicy = { timeoutMs: 7_013, callTimeoutMs: 600_013, maxTries: 3, maxPauseMs: 5_000 }

interface CallResult {
  readonly exit: Exit.Exit<SourceResponse<unknown>, SourceUnavailable>
  readonly sent: number
}

interface TestBench {
  readonly server: FakeServer
  readonly clock: AutoAdvancingClock
  readonly logged: ReadonlyArray<string>
  readonly call: Effect.Effect<CallResult>
  readonly state: Effect.Effect<SourceState>
}

/** Creates a new adapter, whose time limits expire as soon as the server holds back a response. */
const adapter = <R>(
  suite: FaultSuite<R>,
  request: RequestCase<R>,
  { clock, logged, server }: Pick<TestBench, "clock" | "logged" | "server">
): Effect.Effect<TestBench, never, Scope.Scope> =>
  Effect.gen(function*() {
    const context = yield* Layer.build(
      Layer.provideMerge(suite.layer(server.url, retryPolicy), SourceHealth.layer)
    )
    const expireHeldRequests = Effect.forever(
      Effect.andThen(server.waitForHeldRequest, Effect.sync(() => clock.expireFirst()))
    )
    const ask = Effect.gen(function*() {
      const before = server.requests.length
      const exit = yield* Effect.raceFirst(Effect.exit(request.send), expireHeldRequests)
      return { exit, sent: server.requests.length - before }
    })
    const state = Effect.map(
      Effect.flatMap(SourceHealth, (health) => health.states),
      (states) => {
        assert.lengthOf(states, 1)
        return states[0]!
      }
    )
    return {
      server,
      clock,
      logged,
      call: Effect.provideContext(ask, context),
      state: Effect.provideContext(state, context)
    }
  })

const withBench = <R, A>(
  suite: FaultSuite<R>,
  request: RequestCase<R>,
  use: (bench: TestBench) => Effect.Effect<A, never, Scope.Scope>
): Effect.Effect<A> => {
  const clock = new AutoAdvancingClock(suite.now, [retryPolicy.timeoutMs, retryPolicy.callTimeoutMs])
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(suite.handleRequest)
    return yield* use(yield* adapter(suite, request, { server, clock, logged }))
  })).pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(Clock.Clock, clock))
}

const failureOf = ({ exit }: CallResult): SourceUnavailable => {
  assert.isTrue(Exit.isFailure(exit), "the request succeeded despite the fault")
  const error = Exit.isFailure(exit) ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error : undefined
  assert.instanceOf(error, SourceUnavailable)
  return error
}

const valueOf = ({ exit }: CallResult): unknown => {
  assert.isTrue(Exit.isSuccess(exit), `no answer: ${String(exit)}`)
  return Exit.isSuccess(exit) ? exit.value.value : undefined
}

const each = <A>(cases: Readonly<Record<string, A>>, check: (one: A, name: string) => Effect.Effect<void>) =>
  Effect.forEach(Object.entries(cases), ([name, one]) => check(one, name), { discard: true })

/** Asserts that no connection remains open after a call. */
const assertConnectionsClosed = ({ server }: TestBench): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (let turns = 0; server.openRequests() > 0; turns++) {
      assert.isBelow(turns, 100_000, "a connection is still open")
      yield* Effect.callback<void>((resume) => {
        setImmediate(() => resume(Effect.void))
      })
    }
  })

/**
 * Returns whether a request is tested with every fault. The full run tests all requests, and the usual run only the
 * first request to Binance, because all adapters share the code that handles faults.
 */
const testsAllFaults = <R>({ requests, source }: FaultSuite<R>, request: RequestCase<R>): boolean =>
  isFullRun || (source === "binance" && request === requests[0])

const pickCase = <R, A>({ requests, source }: FaultSuite<R>, request: RequestCase<R>, all: ReadonlyArray<A>): A =>
  pickBySeed(Buffer.from(source).reduce((sum, byte) => sum + byte, requests.indexOf(request)), all)

type Cases<A> = Readonly<Record<string, A>>

const pickCases = <R, A>(suite: FaultSuite<R>, request: RequestCase<R>, cases: Cases<A>): Cases<A> =>
  testsAllFaults(suite, request) ? cases : Object.fromEntries([pickCase(suite, request, Object.entries(cases))])

/** Asserts how a request fails while a fault persists. */
const assertFails = <R>(
  suite: FaultSuite<R>,
  request: RequestCase<R>,
  fault: FakeFault,
  name: string,
  expected: { readonly failure: SourceUnavailable["failure"]; readonly sent: number }
) =>
  withBench(suite, request, (bench) =>
    Effect.gen(function*() {
      bench.server.fail(fault)
      const result = yield* bench.call
      const error = failureOf(result)
      assert.strictEqual(error.failure, expected.failure, `${name}: ${error.message}`)
      assert.strictEqual(error.source, suite.source)
      assert.strictEqual(result.sent, expected.sent, `${name}: requests sent`)
      assert.notMatch(error.message, /\?|http|symbol=/u)
      assert.strictEqual((yield* bench.state).faults[expected.failure] > 0, true, name)
      yield* assertConnectionsClosed(bench)
    }))

const testRetries = <R>(suite: FaultSuite<R>, request: RequestCase<R>): void => {
  it.live("retries, and then reports unreachable, if the source does not answer", () =>
    each(
      pickCases(suite, request, transientFaults),
      (fault, name) => assertFails(suite, request, fault, name, { failure: "unreachable", sent: retryPolicy.maxTries })
    ))

  it.live("succeeds at the second attempt", () =>
    each(
      { ...pickCases(suite, request, transientFaults), ...pickCases(suite, request, shortRateLimits) },
      (fault, name) =>
        withBench(suite, request, ({ call, clock, server, state }) =>
          Effect.gen(function*() {
            server.fail(fault, 1)
            const result = yield* call
            const suiteNow = { ...suite, now: clock.currentTimeMillisUnsafe() }
            const right = yield* withBench(suiteNow, request, (other) => Effect.map(other.call, valueOf))
            assert.deepStrictEqual(valueOf(result), right, name)
            assert.deepStrictEqual([result.sent, (yield* state).state], [2, "up"], name)
          }))
    ))

  it.live("waits for the end of a short rate limit, and no longer than a call lasts", () =>
    each(
      pickCases(suite, request, shortRateLimits),
      (fault, name) => assertFails(suite, request, fault, name, { failure: "rate_limited", sent: retryPolicy.maxTries })
    ))

  it.live("follows no redirection, and does not retry", () =>
    each(
      pickCases(suite, request, redirections),
      (fault, name) => assertFails(suite, request, fault, name, { failure: "unreachable", sent: 1 })
    ))
}

/**
 * Returns the failure that the adapter reports for a 403: a firewall's rate limit, or a rejected API key. Returns null
 * if the 403 is a block.
 */
const meaningOf403 = <R>({ hasFirewall, hasKey }: FaultSuite<R>, name: string): SourceUnavailable["failure"] | null =>
  !name.startsWith("status 403")
    ? null
    : hasFirewall
    ? "rate_limited"
    : hasKey && !name.endsWith("with a page")
    ? "not_configured"
    : null

const testRejections = <R>(suite: FaultSuite<R>, request: RequestCase<R>): void => {
  it.live("sends no request before the end of a long rate limit", () =>
    each(
      pickCases(suite, request, longRateLimits),
      ([fault, retryAfterMs], name) =>
        withBench(suite, request, ({ call, clock, server, state }) =>
          Effect.gen(function*() {
            server.fail(fault, 1)
            const first = yield* call
            const error = failureOf(first)
            assert.deepStrictEqual([error.failure, error.retryable, first.sent], ["rate_limited", true, 1], name)
            if (retryAfterMs !== null) assert.strictEqual(error.retryAfterMs, retryAfterMs, name)
            clock.advance(error.retryAfterMs! - 6_000)
            const second = yield* call
            assert.deepStrictEqual([failureOf(second).failure, second.sent], ["rate_limited", 0], name)
            assert.strictEqual((yield* state).state, "limited")
            clock.advance(6_000)
            assert.strictEqual((yield* call).sent, 1, name)
            assert.strictEqual((yield* state).state, "up")
          }))
    ))

  const { limitedBy403: body } = suite
  if (body !== undefined) {
    it.live("treats a 403 that reports a rate limit as a limit, not as a block", () =>
      withBench(suite, request, ({ call, clock, server, state }) =>
        Effect.gen(function*() {
          server.fail({ _tag: "answer", status: 403, body, headers: { "content-type": "text/html" } }, 1)
          const error = failureOf(yield* call)
          assert.deepStrictEqual([error.failure, error.retryAfterMs], ["rate_limited", 600_000])
          assert.strictEqual((yield* state).state, "limited")
          clock.advance(600_000)
          assert.strictEqual((yield* call).sent, 1)
        })))
  }

  it.live("sends no request for a while after a block", () =>
    each(
      pickCases(suite, request, blocks),
      (fault, name) => {
        const failure = meaningOf403(suite, name)
        return failure !== null
          ? assertFails(suite, request, fault, name, { failure, sent: 1 })
          : withBench(suite, request, ({ call, clock, server, state }) =>
            Effect.gen(function*() {
              server.fail(fault, 1)
              const first = yield* call
              const error = failureOf(first)
              assert.deepStrictEqual([error.failure, error.retryable, first.sent], ["blocked", false, 1], name)
              const second = yield* call
              assert.deepStrictEqual([failureOf(second).failure, second.sent], ["blocked", 0], name)
              const { blockedUntil, state: reportedState } = yield* state
              assert.strictEqual(reportedState, "blocked")
              clock.advance(blockedUntil! - clock.currentTimeMillisUnsafe())
              assert.strictEqual((yield* call).sent, 1, name)
              assert.strictEqual((yield* state).state, "up")
            }))
      }
    ))
}

const testPayloads = <R>(suite: FaultSuite<R>, request: RequestCase<R>): void => {
  it.live("reports a response without data as malformed, without a retry", () =>
    each(
      { ...pickCases(suite, request, foreignJson), ...pickCases(suite, request, unreadableBodies) },
      (fault, name) =>
        // A body without an end counts as unreachable, not as malformed.
        assertFails(suite, request, fault, name, {
          failure: name === "an endless body" ? "unreachable" : "malformed",
          sent: 1
        })
    ))

  it.live("reports an error in the body of a 200", () =>
    each(
      suite.errorsInBody,
      ([body, failure], name) =>
        withBench(suite, request, ({ call, server }) =>
          Effect.gen(function*() {
            server.fail({ _tag: "answer", status: 200, body })
            assert.strictEqual(failureOf(yield* call).failure, failure, name)
          }))
    ))

  it.live("keeps the source's times if clocks differ, and reports the difference", () =>
    each(
      pickCases(suite, request, clockSkews),
      ([fault, skewMs], name) =>
        withBench(suite, request, ({ call, server, state }) =>
          Effect.gen(function*() {
            server.fail(fault)
            const value = valueOf(yield* call)
            const right = yield* withBench(suite, request, (other) => Effect.map(other.call, valueOf))
            assertEqualForAnyClock(value, right, request.byClock, name)
            const clockSkewMs = (yield* state).skewMs
            if (skewMs === null || clockSkewMs === null) assert.strictEqual(clockSkewMs, skewMs, name)
            else assert.closeTo(clockSkewMs, skewMs, 1_000, name)
          }))
    ))
}

const testMutations = <R>(suite: FaultSuite<R>, request: RequestCase<R>): void => {
  it.live("returns no invalid value, whichever part of the payload is malformed", () =>
    withBench(suite, request, (bench) =>
      Effect.gen(function*() {
        const { call, logged, server } = bench
        const right = valueOf(yield* call)
        let [reportedCount, less] = [0, 0]
        const position = request.isForeign ? "last" : request.position ?? pickCase(suite, request, recordPositions)
        const mutations = mutationsOf(server.newestBody(), position)
          .filter(({ path }) => request.optionalLeaves?.includes(path) !== true)
        const hasShownFault = (): boolean =>
          request.isForeign ?? (request.skipsMalformed === true ? less > 0 : reportedCount + less > 0)
        for (const { name, text } of sampleMutations(mutations, hasShownFault)) {
          server.fail({ _tag: "rewritten", rewrite: () => text })
          // Each mutation is requested by a new adapter, because a used adapter may have a cached response.
          const result = yield* Effect.scoped(Effect.flatMap(adapter(suite, request, bench), (other) => other.call))
          assert.strictEqual(result.sent, 1, name)
          if (Exit.isFailure(result.exit)) {
            reportedCount++
            assert.strictEqual(failureOf(result).failure, "malformed", name)
          } else if (assertEqualOrMissingOne(valueOf(result), right, request.skipsMalformed === true, name)) less++
        }
        if (request.isForeign === true) assert.strictEqual(reportedCount, 0)
        assert.isTrue(
          hasShownFault(),
          "no malformed record changed the result: set `position` to a record that it contains"
        )
        // Each new adapter logs the names of the records that it skips.
        const named = logged.filter((line) => line.includes(`of ${suite.source} were skipped: `))
        assert.isAtLeast(named.length, less)
        assert.strictEqual(less > 0, request.skipsMalformed === true)
      })))
}

/**
 * Tests all requests of an adapter with all kinds of source failures. The usual run tests the first request and about
 * half of the other requests.
 */
export const faultSuite = <R>(suite: FaultSuite<R>): void => {
  const isSelected = (nth: number): boolean => isFullRun || nth === 0 || (seed + nth) % 2 === 0
  const title = `${suite.source}: $name from a source that fails`
  describe.each(suite.requests.filter((_, nth) => isSelected(nth)))(title, (request) => {
    testRetries(suite, request)
    testRejections(suite, request)
    testPayloads(suite, request)
    testMutations(suite, request)
  })
  const lists = suite.requests.filter(({ skipsMalformed }, nth) => skipsMalformed === true && !isSelected(nth))
  describe.each(lists)(title, (request) => testMutations(suite, request))
}
