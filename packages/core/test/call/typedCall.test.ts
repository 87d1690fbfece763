import { assert, expect, it } from "@effect/vitest"
import {
  type AnswerUnreadable,
  type CallFailed,
  type CallRejection,
  implement,
  layerEngine,
  Ledger,
  type Reservation,
  specify,
  Toolbox,
  ToolCaller,
  ToolFailure
} from "@tapeline/core"
import { optional } from "@tapeline/core/engine"
import { getPrice } from "@tapeline/core/specifications"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Schema } from "effect"
import { expectTypeOf } from "vitest"

const counting = <Result extends Schema.Codec<unknown, Schema.Json>>(result: Result) =>
  specify({
    name: "counting",
    area: "crypto",
    scope: "read:market",
    credits: 5,
    summary: "Counts.",
    parameters: Schema.Struct({ from: Schema.Int, fails: optional(Schema.Boolean) }),
    result,
    example: { from: 1 }
  })

const counts = counting(Schema.Struct({ count: Schema.Int, at: Schema.DateFromString }))
/** The tool in a later version, whose result has fields of other types. */
const countsLater = counting(Schema.Struct({ count: Schema.String, total: Schema.Int }))

const countsTool = implement(
  counts,
  Effect.succeed(({ fails, from }) =>
    fails === true
      ? Effect.fail(
        new ToolFailure({ code: "timeout", callerMessage: { key: "timeout", params: { seconds: 1 } }, retryable: true })
      )
      : Effect.succeed({ count: from + 1, at: new Date(0) })
  )
)
const countsLaterTool = implement(
  countsLater,
  Effect.succeed(({ from }) => Effect.succeed({ count: `${from}`, total: from }))
)

const engine = layerEngine({ toolbox: Toolbox.layer([countsTool]) })
const laterEngine = layerEngine({ toolbox: Toolbox.layer([countsLaterTool]) })

it("rejects wrong and missing arguments and unknown result fields at compile time", () => {
  const compileOnly = Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    // @ts-expect-error -- `coin` is missing
    yield* caller.call(getPrice, { principal, arguments: {} })
    // @ts-expect-error -- there is no argument `tpyo`
    yield* caller.call(getPrice, { principal, arguments: { coin: "BTC", tpyo: 1 } })
    // @ts-expect-error -- `coin` is a string
    yield* caller.call(getPrice, { principal, arguments: { coin: 1 } })
    // @ts-expect-error -- `principal` is required
    yield* caller.call(getPrice, { arguments: { coin: "BTC" } })
    const { data } = yield* caller.call(getPrice, { principal, arguments: { coin: "BTC" } })
    // @ts-expect-error -- the result has a `price`, not a `prize`
    expect(data.prize).toBe(undefined)
    // @ts-expect-error -- a call by name has an untyped result
    expect((yield* caller.call({ principal, name: "get_price", arguments: {} })).envelope.data.price).toBe(0)
    return data
  })
  expectTypeOf<Effect.Success<typeof compileOnly>["price"]>().toEqualTypeOf<number>()
  const typed = Effect.flatMap(
    ToolCaller,
    ({ call }) => call(counts, { principal: callerWithoutScopes, arguments: { from: 1 } })
  )
  expectTypeOf<Effect.Success<typeof typed>["data"]>().toEqualTypeOf<{ readonly count: number; readonly at: string }>()
  expectTypeOf<Effect.Success<typeof typed>["tool"]>().toEqualTypeOf<"counting">()
  expectTypeOf<Effect.Error<typeof typed>>().toEqualTypeOf<CallRejection | CallFailed | AnswerUnreadable>()
})

const callerWithoutScopes = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: [] } as const

it.effect("returns the envelope with the tool's result as typed JSON", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const call = { principal, arguments: { from: 1, fails: null }, idempotencyKey: "k" }
    const first = yield* caller.call(counts, call)
    assert.deepStrictEqual(first, {
      tool: "counting",
      credits_used: 5,
      credits_left: 59_995,
      took_ms: 0,
      data: { count: 2, at: "1970-01-01T00:00:00.000Z" },
      replayed: false,
      callId: "call_197001_1"
    })
    assert.deepStrictEqual(yield* caller.call(counts, call), { ...first, replayed: true })
    const { envelope } = yield* caller.call({ ...call, name: "counting" })
    assert.deepStrictEqual<unknown>(envelope.data, first.data)
    const callError = yield* Effect.flip(
      caller.call(countsLater, { principal: callerWithoutScopes, arguments: { from: 1 } })
    )
    assert.strictEqual(callError._tag, "ScopeRequired")
  }).pipe(Effect.provide(Layer.provideMerge(engine, MemoryStores))))

it.effect("fails uncharged, with a message in the caller's language, if the tool cannot answer", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { principal } = yield* createKeyedAccount()
    const call = { principal, arguments: { from: 1, fails: true }, language: "ko" } as const
    const failed = yield* Effect.flip(caller.call(counts, call))
    assert(failed._tag === "CallFailed")
    const { failure } = yield* caller.call({ ...call, name: "counting" })
    const { code, credits_left, credits_used, message, retryable } = failed
    assert.deepStrictEqual({ code, message, retryable }, failure)
    assert.deepStrictEqual([code, retryable, credits_used, credits_left], ["timeout", true, 0, 60_000])
    assert.match(message, /[가-힣]/)
    const reservation: Reservation = {
      entry: 1,
      account: principal.account,
      month: "2026-11",
      tool: "agent.answer",
      credits: 20,
      origin: 1,
      reservedAt: 0,
      expiresAt: 1
    }
    const covered = yield* Effect.flip(
      caller.call(counts, { ...call, payer: { reservation, call: "1" } })
    )
    assert.notProperty(covered, "credits_left")
  }).pipe(Effect.provide(Layer.provideMerge(engine, MemoryStores))))

it.effect("replays another version's answer by name, and fails a typed call that cannot decode it", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const call = { principal, arguments: { from: 1 }, idempotencyKey: "k" }
    const first = yield* (yield* ToolCaller).call(counts, call)
    yield* Effect.gen(function*() {
      const later = yield* ToolCaller
      const { envelope, replayed } = yield* later.call({ ...call, name: "counting" })
      assert.isTrue(replayed)
      assert.deepStrictEqual<unknown>(envelope.data, first.data)
      const unreadable = yield* Effect.flip(later.call(countsLater, call))
      assert(unreadable._tag === "AnswerUnreadable")
      assert.deepStrictEqual(unreadable.data, first.data)
      assert.deepStrictEqual([unreadable.replayed, unreadable.credits_used], [true, 5])
      assert.strictEqual((yield* (yield* Ledger).balance(principal.account))!.used, 5)
      const laterCall = yield* later.call(countsLater, { ...call, idempotencyKey: "another" })
      assert.deepStrictEqual(laterCall.data, { count: "1", total: 1 })
    }).pipe(Effect.provide(Layer.fresh(laterEngine)))
  }).pipe(Effect.provide(engine), Effect.provide(MemoryStores)))
