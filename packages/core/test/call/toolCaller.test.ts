import { assert, it } from "@effect/vitest"
import {
  Failpoints,
  implement,
  layerEngine,
  Ledger,
  LedgerStore,
  type Payer,
  type Reservation,
  specify,
  StoreUnavailable,
  Toolbox,
  ToolCaller,
  ToolFailure
} from "@tapeline/core"
import { noArguments, parseCallId, withDefault } from "@tapeline/core/engine"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { fingerprint } from "../../src/engine/call/fingerprint.ts"
import { countsOf } from "./countsOf.ts"

const behaviours = ["answer", "fail", "die", "hang", "break"] as const
type Behaviour = (typeof behaviours)[number]

/** Completes when the tool that hangs starts. A test replaces this signal before each use. */
let started = Deferred.makeUnsafe<void>()

const tool = <const Name extends string>(name: Name, credits: 1 | 5 | 20) =>
  implement(
    specify({
      name,
      area: "crypto",
      scope: "read:market",
      credits,
      summary: "Behaves as it is told.",
      parameters: Schema.Struct({ does: withDefault(Schema.Literals(behaviours), "answer") }),
      result: Schema.Struct({ count: Schema.Int }),
      example: {}
    }),
    Effect.succeed(({ does }) => {
      switch (does) {
        case "answer":
          return Effect.succeed({ count: 1 })
        case "fail":
          return Effect.fail(new ToolFailure({ code: "no_data", callerMessage: "nothing", retryable: false }))
        case "die":
          return Effect.die(new Error("bug"))
        case "break":
          return Effect.succeed({ count: 1.5 })
        case "hang":
          return Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
      }
    })
  )

/** Returns the identifier of the call, and fails if its arguments request a failure. */
const identity = implement(
  specify({
    name: "identity",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Says which call it is.",
    parameters: noArguments,
    result: Schema.Struct({ callId: Schema.String }),
    example: {}
  }),
  Effect.succeed((_args, { callId }) => Effect.succeed({ callId }))
)

/** Returns a response that is too long to be stored. */
const long = implement(
  specify({
    name: "long",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Says a lot.",
    parameters: noArguments,
    result: Schema.Struct({ text: Schema.String }),
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({ text: "x".repeat(300_000) }))
)

const engine = layerEngine({
  toolbox: Toolbox.layer([tool("cheap", 1), tool("external", 5), tool("heavy", 20), identity, long])
}).pipe(Layer.provideMerge(MemoryStores))

const answerOf = (account: number): Reservation => ({
  entry: 7,
  account,
  month: "2026-11",
  tool: "agent.answer",
  credits: 40,
  origin: 7,
  reservedAt: 0,
  expiresAt: 60_000
})

it.effect("charges exactly the answered calls, for random outcomes and interrupts", () =>
  Effect.gen(function*() {
    const step = fc.record({
      name: fc.constantFrom("cheap", "external", "heavy"),
      does: fc.constantFrom(...behaviours),
      interrupted: fc.boolean()
    })
    const prices: Record<string, number> = { cheap: 1, external: 5, heavy: 20 }
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), (steps) =>
          Effect.runPromise(
            Effect.gen(function*() {
              const caller = yield* ToolCaller
              const ledger = yield* Ledger
              const { principal } = yield* createKeyedAccount()
              const fibers = []
              for (const { does, interrupted, name } of steps) {
                const fiber = yield* Effect.forkChild(
                  Effect.exit(caller.call({ principal, name, arguments: { does } }))
                )
                fibers.push({ fiber, name })
                if (interrupted) yield* Effect.forkChild(Fiber.interrupt(fiber))
              }
              yield* Effect.yieldNow
              yield* TestClock.adjust("31 seconds")
              let charged = 0
              for (const { fiber, name } of fibers) {
                const exit = yield* Fiber.await(fiber)
                if (Exit.isFailure(exit) || Exit.isFailure(exit.value)) continue
                const { envelope } = exit.value.value
                assert.include([0, prices[name]], envelope.credits_used)
                charged += envelope.credits_used
              }
              const books = (yield* ledger.balance(principal.account))!
              assert.strictEqual(books.reserved, 0)
              assert.strictEqual(books.tools.reduce((sum, tool) => sum + tool.credits, 0), books.used)
              // A call that was interrupted may already have been charged, so `used` can exceed the sum of the observed
              // charges.
              assert.isAtLeast(books.used, charged)
              const interruptedCredits = steps.filter((s) => s.interrupted && s.does === "answer").reduce(
                (sum, s) => sum + prices[s.name]!,
                0
              )
              assert.isAtMost(books.used, charged + interruptedCredits)
            }).pipe(Effect.provide(Layer.fresh(engine)), Effect.provide(TestClock.layer()))
          )),
        { numRuns: isFullRun ? 500 : 50 }
      )
    )
  }))

it.effect("fails a hanging call at its timeout, uncharged", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    for (const [name, seconds] of [["cheap", 10], ["heavy", 30]] as const) {
      const fiber = yield* Effect.forkChild(caller.call({ principal, name, arguments: { does: "hang" } }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(`${seconds} seconds`)
      const { envelope } = yield* Fiber.join(fiber)
      assert.strictEqual(envelope.credits_used, 0)
      assert.strictEqual(envelope.credits_left, 60_000)
      assert.deepStrictEqual(envelope.data, {
        error: { code: "timeout", message: `The tool did not finish within ${seconds} s.`, retryable: true }
      })
    }
  }).pipe(Effect.provide(engine)))

it.effect("answers and charges an idempotency key once, and frees the key of a failed call", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const call = (does: Behaviour, idempotencyKey: string, name = "external") =>
      caller.call({ principal, name, arguments: { does }, idempotencyKey })
    const first = yield* call("answer", "a")
    const second = yield* call("answer", "a")
    assert.isFalse(first.replayed)
    assert.isTrue(second.replayed)
    assert.deepStrictEqual(second.envelope, first.envelope)
    assert.isNotNull(parseCallId(first.callId ?? ""))
    assert.strictEqual(second.callId, first.callId)
    assert.strictEqual((yield* ledger.balance(principal.account))!.used, 5)
    assert.strictEqual((yield* Effect.flip(call("fail", "a")))._tag, "IdempotencyKeyReused")
    assert.strictEqual((yield* Effect.flip(call("answer", "a", "cheap")))._tag, "IdempotencyKeyReused")

    assert.isNotNull(parseCallId((yield* call("fail", "b")).callId ?? ""))
    assert.isFalse((yield* call("answer", "b")).replayed)

    started = Deferred.makeUnsafe()
    const running = yield* Effect.forkChild(call("hang", "c"))
    yield* Deferred.await(started)
    assert.strictEqual((yield* Effect.flip(call("hang", "c")))._tag, "RequestInProgress")
    yield* Fiber.interrupt(running)
    assert.isFalse((yield* call("answer", "c")).replayed)

    yield* TestClock.adjust("24 hours")
    assert.isFalse((yield* call("answer", "a")).replayed)
    const books = (yield* ledger.balance(principal.account))!
    assert.strictEqual(books.reserved, 0)
  }).pipe(Effect.provide(engine)))

it.effect("rejects a repeat of a running call with a growing wait, at most until its lease ends", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const call = { principal, name: "external", arguments: {}, idempotencyKey: "gone" }
    // A process that is killed during a call leaves a reservation that must expire.
    yield* ledger.reserve({
      account: principal.account,
      actor: principal.actor,
      tool: "external",
      credits: 5,
      ttlMs: 40_000,
      idempotency: { key: "gone", fingerprint: yield* fingerprint("external", {}), retentionMs: 86_400_000 }
    })
    for (const [seconds, waitMs] of [[0, 1000], [4, 4000], [4, 8000], [20, 10_000], [9, 3000]] as const) {
      yield* TestClock.adjust(`${seconds} seconds`)
      const callError = yield* Effect.flip(caller.call(call))
      assert(callError._tag === "RequestInProgress")
      assert.strictEqual(callError.retryAfterMs, waitMs)
    }
    yield* TestClock.adjust("3 seconds")
    assert.isFalse((yield* caller.call(call)).replayed)
  }).pipe(Effect.provide(engine)))

it.effect("dies uncharged under an idempotency key if the answer is too long to replay", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const exit = yield* Effect.exit(caller.call({ principal, name: "long", arguments: {}, idempotencyKey: "k" }))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [0, 0])
    assert.strictEqual((yield* caller.call({ principal, name: "long", arguments: {} })).envelope.credits_used, 1)
  }).pipe(Effect.provide(engine)))

it.effect("reserves nothing for a call inside an answer, and omits the remaining credits", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const reservation = answerOf(principal.account)
    const payer = { reservation, call: "step 1" }
    const { envelope } = yield* caller.call({ principal, name: "heavy", arguments: {}, payer })
    assert.deepStrictEqual(envelope, { tool: "heavy", credits_used: 0, took_ms: 0, data: { count: 1 } })
    assert.deepStrictEqual((yield* ledger.balance(principal.account))!.tools, [])
  }).pipe(Effect.provide(engine)))

it.effect("passes each call a distinct id, and the same id if an answer repeats the call", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const callId = (options: { readonly idempotencyKey?: string; readonly payer?: Payer }) =>
      Effect.map(
        caller.call({ principal, name: "identity", arguments: {}, ...options }),
        // The result of the tool `identity`.
        ({ envelope }) => (envelope.data as { readonly callId: string }).callId
      )
    const reservation = answerOf(principal.account)
    const covered = (call: string): Payer => ({ reservation, call })
    const ids = [
      yield* callId({}),
      yield* callId({}),
      yield* callId({ idempotencyKey: "a" }),
      yield* callId({ idempotencyKey: "b" }),
      yield* callId({ payer: covered("1") }),
      yield* callId({ payer: covered("2") })
    ]
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(yield* callId({ payer: covered("2") }), ids[5])
  }).pipe(Effect.provide(engine)))

it.effect("rejects a call in the documented order: user_id, unknown tool, missing scope", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount({ scopes: ["read:us"] })
    const callError = (name: string, args: unknown) =>
      Effect.map(Effect.flip(caller.call({ principal, name, arguments: args })), (e) => e._tag)
    assert.strictEqual(yield* callError("nothing", { user_id: null }), "UserIdNotAccepted")
    assert.strictEqual(yield* callError("nothing", { wrong: 1 }), "UnknownTool")
    assert.strictEqual(yield* callError("cheap", { wrong: 1 }), "ScopeRequired")
  }).pipe(Effect.provide(engine)))

it.effect("charges once if a settlement's response is lost, and fails with ChargeInDoubt if it stays lost", () => {
  let lostResponses = 0
  const failpoints = Layer.succeed(Failpoints, (point) =>
    point === "after:end" && lostResponses-- > 0
      ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
      : Effect.void)
  return Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const call = caller.call({ principal, name: "external", arguments: {}, idempotencyKey: "k" })
    const before = yield* countsOf("external")
    lostResponses = 1
    const fiber = yield* Effect.forkChild(call)
    yield* Effect.yieldNow
    yield* TestClock.adjust("1 second")
    const first = yield* Fiber.join(fiber)
    assert.strictEqual(first.envelope.credits_used, 5)
    assert.deepStrictEqual((yield* call).envelope, first.envelope)
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [5, 0])
    assert.strictEqual((yield* countsOf("external")).ok, before.ok + 1)

    // If the store stays unavailable, the call fails after its maximum waiting time, because it may have been charged.
    lostResponses = Infinity
    const pendingFailure = yield* Effect.forkChild(
      Effect.flip(caller.call({ principal, name: "external", arguments: {} }))
    )
    yield* Effect.yieldNow
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(pendingFailure.pollUnsafe()?._tag, "Success")
    assert.strictEqual((yield* Fiber.join(pendingFailure))._tag, "ChargeInDoubt")
    assert.strictEqual((yield* ledger.balance(principal.account))!.used, 10)
  }).pipe(Effect.provide(engine.pipe(Layer.provide(failpoints))))
})

it.effect("fails a call uncharged if its reservation has expired, and counts it as failed", () => {
  let expireReservation: Effect.Effect<void> = Effect.void
  const failpoints = Layer.succeed(Failpoints, (point) => point === "before:end" ? expireReservation : Effect.void)
  return Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const store = yield* LedgerStore
    const { principal } = yield* createKeyedAccount()
    const before = yield* countsOf("heavy")
    // The reservation has expired, as happens if a process is frozen for longer than the lease.
    expireReservation = Effect.asVoid(Effect.orDie(store.expire(100, { at: 3_600_000 })))
    const { envelope, failure } = yield* caller.call({ principal, name: "heavy", arguments: {}, idempotencyKey: "k" })
    assert.strictEqual(envelope.credits_used, 0)
    assert.strictEqual(failure?.code, "timeout")
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [0, 0])
    assert.deepStrictEqual(yield* countsOf("heavy"), { ok: before.ok, failed: before.failed + 1 })
    expireReservation = Effect.void
    const repeatedCall = yield* caller.call({ principal, name: "heavy", arguments: {}, idempotencyKey: "k" })
    assert.strictEqual(repeatedCall.envelope.credits_used, 20)
    assert.isFalse(repeatedCall.replayed)
  }).pipe(Effect.provide(engine.pipe(Layer.provide(failpoints))))
})

it.effect("releases a charge in doubt in the background if it was not made", () => {
  let isUnavailable = false
  const failpoints = Layer.succeed(Failpoints, (point) =>
    point === "before:end" && isUnavailable
      ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
      : Effect.void)
  return Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const before = yield* countsOf("external")
    isUnavailable = true
    const pendingFailure = yield* Effect.forkChild(
      Effect.flip(caller.call({ principal, name: "external", arguments: {} }))
    )
    yield* Effect.yieldNow
    yield* TestClock.adjust("11 seconds")
    assert.strictEqual((yield* Fiber.join(pendingFailure))._tag, "ChargeInDoubt")
    assert.deepStrictEqual(yield* countsOf("external"), before)
    assert.strictEqual((yield* ledger.balance(principal.account))!.reserved, 5)
    isUnavailable = false
    yield* TestClock.adjust("2 seconds")
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [0, 0])
  }).pipe(Effect.provide(engine.pipe(Layer.provide(failpoints))))
})
