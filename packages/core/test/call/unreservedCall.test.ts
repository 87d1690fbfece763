import { assert, describe, it } from "@effect/vitest"
import {
  type Failpoint,
  Failpoints,
  implement,
  layerEngine,
  Ledger,
  LedgerStore,
  specify,
  StoreUnavailable,
  Toolbox,
  ToolCaller,
  ToolFailure
} from "@tapeline/core"
import { defaultPlans, noArguments, withDefault } from "@tapeline/core/engine"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { fingerprint } from "../../src/engine/call/fingerprint.ts"
import { countsOf } from "./countsOf.ts"

const behaviours = ["answer", "fail", "die", "hang"] as const

/** Completes when the tool starts to hang. A test replaces this signal before each use. */
let started = Deferred.makeUnsafe<void>()
/** Ends a hanging call. */
let finish = Deferred.makeUnsafe<void>()
let runs = 0

const pure = implement(
  specify({
    name: "pure",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    pure: true,
    summary: "Behaves as requested.",
    parameters: Schema.Struct({ does: withDefault(Schema.Literals(behaviours), "answer") }),
    result: Schema.Struct({ count: Schema.Int }),
    example: {}
  }),
  Effect.succeed(({ does }) => {
    runs++
    switch (does) {
      case "answer":
        return Effect.succeed({ count: 1 })
      case "fail":
        return Effect.fail(new ToolFailure({ code: "no_data", callerMessage: "nothing", retryable: false }))
      case "die":
        return Effect.die(new Error("bug"))
      case "hang":
        return Effect.andThen(Deferred.succeed(started, undefined), Effect.as(Deferred.await(finish), { count: 2 }))
    }
  })
)

const writing = implement(
  specify({
    name: "writing",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Is not pure.",
    parameters: noArguments,
    result: Schema.Struct({}),
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({}))
)

/** The durable writes of the ledger since the last `takeWrites`. */
const writes: Array<string> = []
let lostResponses = 0
/** Completes when the response of a charge is lost. A test replaces this signal before each use. */
let lost = Deferred.makeUnsafe<void>()

const takeWrites = Effect.sync(() => writes.splice(0).filter((name) => ["reserve", "end", "charge"].includes(name)))

const failpoints = Layer.succeed(Failpoints, (point: Failpoint) => {
  if (point.startsWith("before:")) writes.push(point.slice("before:".length))
  return point === "after:charge" && lostResponses-- > 0
    ? Effect.andThen(
      Deferred.succeed(lost, undefined),
      Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
    )
    : Effect.void
})

// The threshold of the plan `few` is 40 times its 10 requests a minute.
const plans = { ...defaultPlans, few: { monthly_credits: 402, keys: 1, requests_per_minute: 10, answers_per_day: 1 } }

const engine = layerEngine({ plans, toolbox: Toolbox.layer([pure, writing]) }).pipe(
  Layer.provideMerge(MemoryStores),
  Layer.provide(failpoints)
)

/** Creates an account whose first call has already reserved a credit, so that the process knows its credits. */
const setUp = Effect.fnUntraced(function*(plan = "pro") {
  const caller = yield* ToolCaller
  const { account, principal } = yield* createKeyedAccount({ plan })
  const call = (
    does: (typeof behaviours)[number] = "answer",
    options: { readonly idempotencyKey?: string; readonly name?: string } = {}
  ) => caller.call({ principal, name: "pure", arguments: options.name === undefined ? { does } : {}, ...options })
  yield* call()
  writes.length = 0
  return { account: account.id, principal, call }
})

const reserveOthers = Effect.fnUntraced(function*(account: number, credits: number, key: string | null = null) {
  const idempotency = key === null
    ? null
    : { key, fingerprint: yield* fingerprint("pure", { does: "hang" }), retentionMs: 86_400_000 }
  const [admission] = yield* (yield* LedgerStore).reserve([
    { account, actor: { _tag: "Session", session: 1 }, tool: "pure", credits, ttlMs: 40_000, idempotency }
  ])
  assert(admission?._tag === "Admitted")
  return admission.reservation
})

const usedBy = (account: number) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.balance(account), (balance) => balance!.used))

describe("a call of a pure tool", () => {
  it.effect("makes one durable write if the process knows that the caller has enough credits", () =>
    Effect.gen(function*() {
      const { account, call } = yield* setUp()
      const outcome = yield* call()
      assert.deepStrictEqual(yield* takeWrites, ["charge"])
      assert.deepInclude(outcome.envelope, { credits_used: 1, credits_left: 59_998 })
      const [listed] = yield* (yield* Ledger).calls({ account, month: null, before: null, limit: 1 })
      assert.strictEqual(listed?.state, "settled")
      assert.match(outcome.callId!, new RegExp(`_${listed!.call.entry}$`))
      yield* call("answer", { name: "writing" })
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "end"])
    }).pipe(Effect.provide(engine)))

  it.effect("reserves credits after 60 s, after an access notice, and for unknown plans", () =>
    Effect.gen(function*() {
      const { account, call, principal } = yield* setUp()
      yield* TestClock.adjust("59 seconds")
      yield* call()
      assert.deepStrictEqual(yield* takeWrites, ["charge"])
      yield* TestClock.adjust("60 seconds")
      yield* call()
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "end"])
      yield* (yield* Ledger).changePlan(account, "premium")
      yield* TestClock.adjust(1)
      yield* takeWrites
      yield* call()
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "end"])
      const caller = yield* ToolCaller
      yield* caller.call({ principal: { ...principal, plan: "toString" }, name: "pure", arguments: {} })
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "end"])
    }).pipe(Effect.provide(engine)))

  it.effect("reserves credits if they were known in the previous month", () =>
    Effect.gen(function*() {
      const { call } = yield* setUp()
      yield* call()
      yield* TestClock.adjust(1)
      yield* call()
      assert.deepStrictEqual(yield* takeWrites, ["charge", "reserve", "end"])
    }).pipe(
      Effect.provide(engine.pipe(Layer.provide(Layer.effectDiscard(TestClock.setTime(Date.UTC(1970, 1, 1) - 1)))))
    ))

  it.effect("reserves credits if the account or the key has too few of them", () =>
    Effect.gen(function*() {
      const few = yield* setUp("few")
      yield* few.call()
      yield* few.call()
      yield* few.call()
      assert.deepStrictEqual(yield* takeWrites, ["charge", "charge", "reserve", "end"])
      const limited = yield* setUp()
      const { actor } = limited.principal
      assert(actor._tag === "Key")
      yield* (yield* Ledger).limitKey(actor.key, 100)
      yield* TestClock.adjust(1)
      yield* limited.call()
      yield* limited.call()
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "end", "reserve", "end"])
    }).pipe(Effect.provide(engine)))

  it.effect("is rejected and not charged if another process used the credits meanwhile", () =>
    Effect.gen(function*() {
      const { account, call } = yield* setUp()
      yield* reserveOthers(account, 59_999)
      runs = 0
      const error = yield* Effect.flip(call("answer", { idempotencyKey: "k" }))
      assert.deepInclude(error, { _tag: "OverLimit", price: 1, credits_left: 0 })
      assert.strictEqual((yield* Effect.flip(call("answer")))._tag, "OverLimit")
      assert.strictEqual(runs, 1)
      assert.strictEqual(yield* usedBy(account), 1)
      assert.deepStrictEqual(yield* takeWrites, ["reserve", "charge", "reserve"])
    }).pipe(Effect.provide(engine)))

  it.effect("is charged only if it is answered, and its failures are counted within a second", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ does: fc.constantFrom(...behaviours), isInterrupted: fc.boolean() }), { maxLength: 20 }),
          (steps) =>
            Effect.runPromise(
              Effect.gen(function*() {
                const { account, call } = yield* setUp()
                finish = Deferred.makeUnsafe()
                const fibers = []
                for (const { does, isInterrupted } of steps) {
                  const fiber = yield* Effect.forkChild(Effect.exit(call(does)))
                  fibers.push(fiber)
                  if (isInterrupted) yield* Effect.forkChild(Fiber.interrupt(fiber))
                }
                yield* Effect.yieldNow
                yield* TestClock.adjust("11 seconds")
                let charged = 1
                for (const fiber of fibers) {
                  const exit = yield* Fiber.await(fiber)
                  if (Exit.isSuccess(exit) && Exit.isSuccess(exit.value)) {
                    charged += exit.value.value.envelope.credits_used
                  }
                }
                const { reserved, tools: [usage], used } = (yield* (yield* Ledger).balance(account))!
                const answered = steps.filter(({ does }) => does === "answer")
                assert.strictEqual(reserved, 0)
                assert.isAtLeast(used, charged)
                assert.isAtMost(used, charged + answered.filter(({ isInterrupted }) => isInterrupted).length)
                assert.isAtMost(usage!.calls, steps.length + 1)
                const failed = steps.filter(({ does, isInterrupted }) => does !== "answer" && !isInterrupted)
                assert.isAtLeast(usage!.failed, failed.length)
              }).pipe(Effect.provide(Layer.fresh(engine)), Effect.provide(TestClock.layer()))
            )
        ),
        { numRuns: 30 }
      )
    ))

  it.effect("is replayed under its idempotency key, and rejected while it runs", () =>
    Effect.gen(function*() {
      const { account, call } = yield* setUp()
      ;[started, finish] = [Deferred.makeUnsafe(), Deferred.makeUnsafe()]
      const running = yield* Effect.forkChild(call("hang", { idempotencyKey: "k" }))
      yield* Deferred.await(started)
      yield* TestClock.adjust("4 seconds")
      const error = yield* Effect.flip(call("hang", { idempotencyKey: "k" }))
      assert.deepInclude(error, { _tag: "RequestInProgress", retryAfterMs: 4_000 })
      assert.strictEqual((yield* Effect.flip(call("fail", { idempotencyKey: "k" })))._tag, "IdempotencyKeyReused")
      yield* Deferred.succeed(finish, undefined)
      const first = yield* Fiber.join(running)
      const second = yield* call("hang", { idempotencyKey: "k" })
      assert.deepStrictEqual([first.replayed, second.replayed], [false, true])
      assert.deepStrictEqual(second.envelope, first.envelope)
      assert.strictEqual(second.callId, first.callId)
      assert.strictEqual((yield* Effect.flip(call("fail", { idempotencyKey: "k" })))._tag, "IdempotencyKeyReused")
      assert.isNotNull((yield* call("fail", { idempotencyKey: "f" })).failure)
      assert.isFalse((yield* call("answer", { idempotencyKey: "f" })).replayed)
      assert.strictEqual(yield* usedBy(account), 3)
    }).pipe(Effect.provide(engine)))

  it.effect("returns the response or the rejection that the same call got on another process", () =>
    Effect.gen(function*() {
      const { account, call } = yield* setUp()
      const counts = yield* countsOf("pure")
      const runUntilHanging = Effect.fnUntraced(function*(idempotencyKey: string) {
        ;[started, finish] = [Deferred.makeUnsafe(), Deferred.makeUnsafe()]
        const running = yield* Effect.forkChild(Effect.exit(call("hang", { idempotencyKey })))
        yield* Deferred.await(started)
        return Effect.andThen(Deferred.succeed(finish, undefined), Effect.flatten(Fiber.join(running)))
      })
      const settled = yield* runUntilHanging("settled")
      const ledger = yield* Ledger
      const response = JSON.stringify({
        tool: "pure",
        credits_used: 1,
        credits_left: 7,
        took_ms: 1,
        data: { count: 3 }
      })
      const reservation = yield* reserveOthers(account, 1, "settled")
      yield* ledger.settle(reservation, response)
      const outcome = yield* settled
      assert.isTrue(outcome.replayed)
      assert.deepStrictEqual(outcome.envelope, JSON.parse(response))
      const reserved = yield* runUntilHanging("reserved")
      yield* reserveOthers(account, 1, "reserved")
      assert.strictEqual((yield* Effect.flip(reserved))._tag, "RequestInProgress")
      assert.deepStrictEqual(yield* countsOf("pure"), counts)
      assert.strictEqual(yield* usedBy(account), 2)
    }).pipe(Effect.provide(engine)))

  it.effect("takes its id from a new block of ids after the response of an earlier charge was lost", () =>
    Effect.gen(function*() {
      const { call } = yield* setUp()
      const entryOf = ({ callId }: { readonly callId: string | null }) => Number(callId!.split("_").at(-1))
      const before = entryOf(yield* call())
      assert.strictEqual(entryOf(yield* call()), before + 1)
      lostResponses = 1
      lost = Deferred.makeUnsafe()
      const doubtful = yield* Effect.forkChild(call())
      yield* Deferred.await(lost)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(entryOf(yield* Fiber.join(doubtful)), before + 2)
      assert.isAtLeast(entryOf(yield* call()), before + 1_000)
    }).pipe(Effect.provide(engine)))

  it.effect("is charged once if the response of the charge is lost, and fails with ChargeInDoubt after 9.5 s", () =>
    Effect.gen(function*() {
      const { account, call } = yield* setUp()
      /** Returns the result of a call whose charge is repeated, and the time until then in ms. */
      const waitFor = Effect.fnUntraced(function*<A, E>(effect: Effect.Effect<A, E>) {
        lost = Deferred.makeUnsafe()
        const fiber = yield* Effect.forkChild(effect)
        yield* Deferred.await(lost)
        let elapsedMs = 0
        while (fiber.pollUnsafe() === undefined) {
          yield* TestClock.adjust("100 millis")
          elapsedMs += 100
        }
        return { result: yield* Fiber.join(fiber), elapsedMs }
      })
      lostResponses = 2
      const { result: first } = yield* waitFor(call("answer", { idempotencyKey: "k" }))
      assert.isFalse(first.replayed)
      assert.deepStrictEqual((yield* call("answer", { idempotencyKey: "k" })).envelope, first.envelope)
      assert.strictEqual(yield* usedBy(account), 2)
      lostResponses = Infinity
      const doubtful = yield* waitFor(Effect.flip(call("answer", { idempotencyKey: "doubt" })))
      assert.strictEqual(doubtful.result._tag, "ChargeInDoubt")
      assert.isAtLeast(doubtful.elapsedMs, 9_400)
      assert.isAtMost(doubtful.elapsedMs, 10_000)
      lostResponses = 0
      assert.isTrue((yield* call("answer", { idempotencyKey: "doubt" })).replayed)
      assert.strictEqual(yield* usedBy(account), 3)
    }).pipe(Effect.provide(engine)))
})
