import { assert, expect, it } from "@effect/vitest"
import {
  type ArgumentsOf,
  CoinPrices,
  layerEngine,
  Ledger,
  type ResultOf,
  StoreUnavailable,
  ToolCaller
} from "@tapeline/core"
import {
  type ConvertibleToToolFailure,
  handlerOf,
  type HandlersFrom,
  implement,
  implementAll,
  specify,
  Toolbox,
  ToolFailure
} from "@tapeline/core/engine"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Schema } from "effect"
import { expectTypeOf } from "vitest"

const tool = <const Name extends string>(name: Name) =>
  specify({
    name,
    area: "crypto",
    scope: "read:market",
    credits: 5,
    summary: "Counts.",
    parameters: Schema.Struct({ from: Schema.Finite }),
    result: Schema.Struct({ count: Schema.Finite }),
    example: { from: 1 }
  })

const first = tool("first")
const second = tool("second")
const specifications = [first, second] as const
const counts = Effect.succeed(({ from }: { readonly from: number }) => Effect.succeed({ count: from + 1 }))

/** An error of a port that converts itself to a tool failure, like the sandbox's error. */
class ScriptError extends Schema.TaggedError<ScriptError>()("ScriptError", { line: Schema.Int })
  implements ConvertibleToToolFailure
{
  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "script_error", callerMessage: `line ${this.line}`, retryable: false })
  }
}

class Unexplained extends Schema.TaggedError<Unexplained>()("Unexplained", {}) {}

const unavailableError = new StoreUnavailable({ store: "journal", cause: new Error("gone") })

const engineOf = (toolbox: Layer.Layer<Toolbox>) => layerEngine({ toolbox }).pipe(Layer.provideMerge(MemoryStores))

it("does not compile a handler that is missing, unknown or of other types", () => {
  expectTypeOf<ArgumentsOf<typeof first>>().toEqualTypeOf<{ readonly from: number }>()
  expectTypeOf<ResultOf<typeof first>>().toEqualTypeOf<{ readonly count: number }>()

  const tools = implementAll(specifications, { first: counts, second: counts })
  expect(tools.map(({ specification }) => specification.name)).toEqual(["first", "second"])

  // @ts-expect-error -- `second` has no handler
  const missing = { first: counts } satisfies HandlersFrom<typeof specifications>
  const received: Array<unknown> = [missing]
  const compileOnly = () => {
    // @ts-expect-error -- `second` has no handler
    const incompleteTools = implementAll(specifications, { first: counts })
    // `Toolbox.layer` accepts the tools as if `second` were implemented, so that the compiler reports only the missing
    // handler.
    expectTypeOf(Toolbox.layer(incompleteTools)).toEqualTypeOf<Layer.Layer<Toolbox>>()
    const handlersOfAnyType: HandlersFrom<readonly [typeof first]> = {
      first: handlerOf(first, Effect.andThen(CoinPrices, counts))
    }
    // @ts-expect-error -- the type does not declare the ports that the handler needs
    implementAll([first], handlersOfAnyType)
    // @ts-expect-error -- there is no tool `third`
    implementAll(specifications, { first: counts, second: counts, third: counts })
    // @ts-expect-error -- the result lacks `count`
    implementAll(specifications, { first: counts, second: Effect.succeed(() => Effect.succeed({})) })
    // @ts-expect-error -- the arguments have no `until`
    implement(first, Effect.succeed(({ until }) => Effect.succeed({ count: until })))
    // @ts-expect-error -- this error has no explanation for the caller
    implement(first, Effect.succeed(() => Effect.fail(new Unexplained())))
  }
  received.push(compileOnly)

  const toolsWithPorts = implementAll([first], { first: handlerOf(first, Effect.andThen(CoinPrices, counts)) })
  expectTypeOf(Toolbox.layer(toolsWithPorts)).toEqualTypeOf<Layer.Layer<Toolbox, never, CoinPrices>>()
  expectTypeOf(Toolbox.layer([...toolsWithPorts, ...tools])).toEqualTypeOf<Layer.Layer<Toolbox, never, CoinPrices>>()
})

it("does not compile an invalid name, a duplicate name or an argument `user_id`", () => {
  const compileOnly = () => {
    // @ts-expect-error -- two tools have the same name
    implementAll([first, second, first], { first: counts, second: counts })
    // @ts-expect-error -- a name cannot contain `/`
    implementAll([tool("a/b")], { "a/b": counts })
    // @ts-expect-error -- a name cannot contain capital letters
    implementAll([tool("Price")], { Price: counts })
    specify({
      ...first,
      // @ts-expect-error -- the account is that of the key
      parameters: Schema.Struct({ user_id: Schema.Finite }),
      example: { user_id: 1 }
    })
  }
  expect(compileOnly).toBeTypeOf("function")
})

it.effect.each(["a/b", "a b", "", "A", "1st", "a%", "_x", "x".repeat(65)])(
  "the toolbox rejects the name %j",
  (name) =>
    Effect.gen(function*() {
      const buildExit = yield* Effect.exit(Effect.scoped(Layer.build(Toolbox.layer([implement(tool(name), counts)]))))
      assert.include(String(buildExit), "is not a valid tool name")
    })
)

it.effect.each(
  [{ credits: 5, completesWhenAbandoned: false }, { credits: 1, completesWhenAbandoned: true }] as const
)(
  "the toolbox rejects a pure tool with %j",
  (fields) =>
    Effect.gen(function*() {
      const impure = implement(specify({ ...tool("impure"), pure: true, ...fields }), counts)
      const buildExit = yield* Effect.exit(Effect.scoped(Layer.build(Toolbox.layer([impure]))))
      assert.include(String(buildExit), "impure cannot be pure")
    })
)

it("does not compile a result with an undeclared field, at any depth", () => {
  const ranked = specify({
    ...first,
    name: "ranked",
    result: Schema.Struct({
      count: Schema.Finite,
      change_pct: Schema.optionalKey(Schema.Finite),
      rows: Schema.Array(
        Schema.Union([
          Schema.Struct({ kind: Schema.Literal("coin"), coin: Schema.String, note: Schema.optionalKey(Schema.String) }),
          Schema.Struct({ kind: Schema.Literal("none") })
        ])
      ),
      extra: Schema.Record(Schema.String, Schema.Finite),
      anything: Schema.Json
    })
  })
  const rest = { count: 1, rows: [], extra: { any: 1 }, anything: { deep: { deeper: 1 } } }
  const compileOnly = () => {
    handlerOf(ranked, Effect.succeed(() => Effect.succeed(rest)))
    handlerOf(
      ranked,
      Effect.succeed(() => Effect.succeed({ ...rest, change_pct: 2, rows: [{ kind: "none" as const }] }))
    )
    // @ts-expect-error -- the field is `change_pct`
    handlerOf(ranked, Effect.succeed(() => Effect.succeed({ ...rest, chnage_pct: 2 })))
    const misspelt = { ...rest, rows: [{ kind: "coin" as const, coin: "BTC", nota: "?" }] }
    // @ts-expect-error -- the field of a row is `note`
    handlerOf(ranked, Effect.succeed(() => Effect.succeed(misspelt)))
    // @ts-expect-error -- the same result, with `implement`
    implement(ranked, Effect.succeed(() => Effect.succeed(misspelt)))
    // @ts-expect-error -- the same result, with `implementAll`
    implementAll([ranked], { ranked: Effect.succeed(() => Effect.succeed(misspelt)) })
    implementAll([ranked], { ranked: Effect.succeed(() => Effect.succeed(rest)) })
  }
  expect(compileOnly).toBeTypeOf("function")
})

it.effect("loads handler modules once, when the toolbox is built", () =>
  Effect.gen(function*() {
    let loaded = 0
    const layer = engineOf(Toolbox.layer(implementAll([first], {
      first: () => {
        loaded++
        return Promise.resolve({ handler: counts })
      }
    })))
    assert.strictEqual(loaded, 0)
    yield* Effect.gen(function*() {
      const caller = yield* ToolCaller
      const { principal } = yield* createKeyedAccount()
      for (const from of [1, 2]) {
        const { envelope } = yield* caller.call({ principal, name: "first", arguments: { from } })
        assert.deepStrictEqual(envelope.data, { count: from + 1 })
      }
    }).pipe(Effect.provide(layer))
    assert.strictEqual(loaded, 1)
  }))

it.effect("returns a port's error as a failed call, rejects a call during a store outage, and charges neither", () =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const ledger = yield* Ledger
    const { principal } = yield* createKeyedAccount()
    const { envelope } = yield* caller.call({ principal, name: "first", arguments: { from: 7 } })
    assert.deepStrictEqual(envelope.data, { error: { code: "script_error", message: "line 7", retryable: false } })
    assert.strictEqual(
      yield* Effect.flip(caller.call({ principal, name: "second", arguments: { from: 1 } })),
      unavailableError
    )
    const idempotencyKey = "k"
    const secondCall = caller.call({ principal, name: "second", arguments: { from: 1 }, idempotencyKey })
    assert.strictEqual(yield* Effect.flip(secondCall), unavailableError)
    assert.strictEqual(yield* Effect.flip(secondCall), unavailableError)
    const { reserved, used } = (yield* ledger.balance(principal.account))!
    assert.deepStrictEqual([used, reserved], [0, 0])
  }).pipe(Effect.provide(engineOf(Toolbox.layer(implementAll(specifications, {
    first: Effect.succeed(({ from }: { readonly from: number }) => Effect.fail(new ScriptError({ line: from }))),
    second: Effect.succeed(() => Effect.fail(unavailableError))
  }))))))
