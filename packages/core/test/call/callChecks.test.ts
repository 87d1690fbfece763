import { assert, it } from "@effect/vitest"
import {
  type CallRejection,
  type ConvertibleToToolFailure,
  implement,
  InvalidArguments,
  layerEngine,
  Ledger,
  SandboxBusy,
  type Scope,
  SourceUnavailable,
  specify,
  Toolbox,
  ToolCaller,
  ToolFailure
} from "@tapeline/core"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Layer, Logger, References, Schema } from "effect"

/** Completes when a test call starts; the call then waits until its caller leaves. */
let started = Deferred.makeUnsafe<void>()

/** An error of an embedder's own port, without a message. */
class WindDown extends Data.TaggedError("WindDown") implements ConvertibleToToolFailure {
  get toolFailure(): ToolFailure {
    const callerMessage = { key: "source_unavailable", params: { source: "mill" } } as const
    return new ToolFailure({ code: "source_unavailable", callerMessage, retryable: true })
  }
}

const oddTool = implement(
  specify({
    name: "odd",
    area: "crypto",
    scope: "read:market",
    credits: 5,
    summary: "Answers oddly.",
    parameters: Schema.Struct({ what: Schema.String }),
    result: Schema.Struct({ value: Schema.Number, text: Schema.optionalKey(Schema.String) }),
    example: { what: "sound" }
  }),
  Effect.succeed(({ what: resultKind }) => {
    switch (resultKind) {
      case "not a number":
        return Effect.succeed({ value: Number.NaN })
      case "without end":
        return Effect.succeed({ value: -Infinity })
      case "interrupts itself":
        return Effect.interrupt
      case "waits":
        return Effect.andThen(Deferred.succeed(started, undefined), Effect.never)
      default:
        return Effect.succeed({ value: 1 })
    }
  })
)

const engine = layerEngine({ toolbox: Toolbox.layer([oddTool]) }).pipe(Layer.provideMerge(MemoryStores))

it.effect("dies uncharged if a result is not valid JSON, with or without an idempotency key", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    for (const resultKind of ["not a number", "without end"]) {
      for (const idempotencyKey of [undefined, resultKind]) {
        const exit = yield* Effect.exit(
          caller.call({ principal, name: "odd", arguments: { what: resultKind }, idempotencyKey })
        )
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), resultKind)
      }
    }
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [0, 0])
  }).pipe(Effect.provide(engine)))

it.effect("dies if a handler interrupts itself, and is interrupted if its caller leaves", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const exit = yield* Effect.exit(caller.call({ principal, name: "odd", arguments: { what: "interrupts itself" } }))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    started = Deferred.makeUnsafe<void>()
    const left = yield* Effect.forkChild(caller.call({ principal, name: "odd", arguments: { what: "waits" } }))
    yield* Deferred.await(started)
    yield* Fiber.interrupt(left)
    const interruptedExit = yield* Fiber.await(left)
    assert.isTrue(Exit.isFailure(interruptedExit) && Cause.hasInterruptsOnly(interruptedExit.cause))
    const books = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([books.used, books.reserved], [0, 0])
  }).pipe(Effect.provide(engine)))

it.effect("logs a call without a free sandbox at Debug, not as a failed source", () => {
  const logged: Array<string> = []
  const busy = implement(specify({ ...oddTool.specification, name: "busy" }), Effect.succeed(() => new SandboxBusy()))
  return Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const { failure } = yield* caller.call({ principal, name: "busy", arguments: { what: "x" } })
    assert.strictEqual(failure?.code, "source_unavailable")
    assert.deepStrictEqual(logged, ["Debug"])
  }).pipe(
    Effect.provide(
      layerEngine({ toolbox: Toolbox.layer([busy]) }).pipe(
        Layer.provideMerge(MemoryStores),
        Layer.provideMerge(Logger.layer([
          Logger.make(({ logLevel, message }) => {
            if (String(message).startsWith("busy could not answer")) logged.push(logLevel)
          })
        ]))
      )
    ),
    Effect.provideService(References.MinimumLogLevel, "Debug")
  )
})

it.effect("logs the reason for an unavailable source, and omits it from the caller's message", () => {
  const logged: Array<string> = []
  const unavailableTool = implement(
    specify({ ...oddTool.specification, name: "away" }),
    Effect.succeed(() =>
      Effect.fail(
        new SourceUnavailable({ source: "venue", failure: "unreachable", reason: "it hung up", retryable: true })
      )
    )
  )
  const successfulTool = implement(
    specify({ ...oddTool.specification, name: "calm" }),
    Effect.succeed(() => Effect.fail(new WindDown()))
  )
  return Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const { failure } = yield* caller.call({ principal, name: "away", arguments: { what: "x" } })
    yield* caller.call({ principal, name: "calm", arguments: { what: "x" } })
    assert.strictEqual(failure?.code, "source_unavailable")
    assert.notInclude(failure?.message ?? "", "hung up")
    assert.deepStrictEqual(logged, [
      "away could not answer: venue is unavailable: it hung up",
      "calm could not answer: WindDown: The source `mill` cannot be reached right now."
    ])
  }).pipe(
    Effect.provide(
      layerEngine({ toolbox: Toolbox.layer([unavailableTool, successfulTool]) }).pipe(
        Layer.provideMerge(MemoryStores),
        Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
      )
    )
  )
})

it.effect("rejects keys and arguments that cannot be stored, after it checks the tool and the scope", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const rejectionOf = (
      call: {
        readonly what?: unknown
        readonly key?: string
        readonly name?: string
        readonly scopes?: ReadonlyArray<Scope>
      }
    ): Effect.Effect<CallRejection, unknown> =>
      Effect.flip(caller.call({
        principal: { ...principal, scopes: call.scopes ?? principal.scopes },
        name: call.name ?? "odd",
        arguments: { what: call.what ?? "sound" },
        idempotencyKey: call.key
      }))
    for (const key of ["", "a\0b", "\u20ac", "k".repeat(129), "line\nbreak"]) {
      const rejection = yield* rejectionOf({ key })
      assert.instanceOf(rejection, InvalidArguments)
      assert.deepStrictEqual(rejection.issues[0]!.path, ["Idempotency-Key"])
      assert.strictEqual((yield* rejectionOf({ key, name: "none" }))._tag, "UnknownTool")
      assert.strictEqual((yield* rejectionOf({ key, scopes: [] }))._tag, "ScopeRequired")
    }
    for (const what of ["a\0", "\ud800"]) {
      const rejection = yield* rejectionOf({ what })
      assert.instanceOf(rejection, InvalidArguments)
      assert.deepStrictEqual(rejection.issues[0]!.path, ["what"])
    }
    let resultKind: unknown = "sound"
    for (let i = 0; i < 100_000; i++) resultKind = [resultKind]
    assert.instanceOf(yield* rejectionOf({ what: resultKind, key: "k" }), InvalidArguments)
  }).pipe(Effect.provide(engine)))

it.effect("lets an answer pay only for calls of its own account without idempotency keys", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const reservation = {
      entry: 1,
      account: principal.account,
      month: "2026-11",
      tool: "agent.answer",
      credits: 20,
      origin: 1,
      reservedAt: 0,
      expiresAt: 60_000
    }
    const call = { principal, name: "odd", arguments: { what: "sound" }, payer: { reservation, call: "1" } }
    assert.strictEqual((yield* caller.call(call)).envelope.credits_used, 0)
    for (
      const invalidCall of [
        { ...call, payer: { reservation: { ...reservation, account: principal.account + 1 }, call: "1" } },
        { ...call, idempotencyKey: "k" }
      ]
    ) {
      const exit = yield* Effect.exit(caller.call(invalidCall))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }
  }).pipe(Effect.provide(engine)))
