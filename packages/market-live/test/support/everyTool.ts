import { assert } from "@effect/vitest"
import { allScopes, type CallContext, DerivedStore, Toolbox, tools } from "@tapeline/core"
import type { MarketPorts } from "@tapeline/core/market"
import { Effect, Layer, Result, Schema } from "effect"
import { TestClock } from "effect/testing"

/** Tools that read stored data. They need only market ports and derived data. */
const storedDataTools = [
  "get_price",
  "get_price_at",
  "get_price_history",
  "get_market_overview",
  "get_indicators",
  "get_score",
  "get_regime",
  "get_orderbook",
  "get_volatility",
  "get_derivatives",
  "get_basis",
  "get_funding_comparison",
  "get_positioning_history",
  "get_liquidations",
  "get_liquidations_history",
  "get_onchain",
  "get_social_history",
  "get_social_momentum",
  "get_trending",
  "get_kimchi_premium",
  "get_kr_listings",
  "get_iv_metrics",
  "get_movers"
]

const context: CallContext = {
  principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes },
  language: "en",
  callId: "1",
  limitMs: 10_000,
  conversation: null,
  parts: { find: () => undefined, call: () => Effect.die(new Error("these tools call no other tool")) }
}

const layerTools = Toolbox.layer(tools.filter(({ specification: { name } }) => storedDataTools.includes(name)))

/** Returns all numbers in a value. */
const numbersOf = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(numbersOf)
    : []

/** Returns each tool's result for a coin, or the reason why the tool has none. */
const callTools = Effect.fnUntraced(function*(coin: string) {
  const toolbox = yield* Toolbox
  return yield* Effect.forEach(storedDataTools, (name) => {
    const { handler, specification } = toolbox.find(name) ?? assert.fail(`there is no ${name}`)
    const args = "coin" in specification.parameters.fields
      ? Object.assign({}, specification.example, { coin })
      : specification.example
    const read = handler(Schema.decodeUnknownSync(specification.parameters)(args), context)
    return Effect.map(Effect.result(read), (answer) => ({ name, answer }))
  })
})

/** Returns a tool's result over a market, encoded as a caller receives it. */
export const callToolOver = <E>(
  market: Layer.Layer<MarketPorts, E>,
  name: string,
  args: Readonly<Record<string, unknown>>
) =>
  Effect.gen(function*() {
    const { handler, specification } = (yield* Toolbox).find(name) ?? assert.fail(`there is no ${name}`)
    return yield* handler(Schema.decodeUnknownSync(specification.parameters)(args), context)
  }).pipe(Effect.provide(Layer.provideMerge(layerTools, Layer.provideMerge(DerivedStore.layer, market))))

/** Asserts that each tool returns finite numbers or reports missing data. Returns the number of results. */
export const checkAllTools = <E>(market: Layer.Layer<MarketPorts, E>, coins: ReadonlyArray<string>, time: number) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(time)
    let answered = 0
    for (const coin of coins) {
      for (const { answer, name } of yield* callTools(coin)) {
        if (Result.isFailure(answer)) {
          const code = answer.failure._tag === "ToolFailure" ? answer.failure.code : answer.failure._tag
          assert.include(["no_data", "unknown_symbol"], code, `${name} of ${coin}: ${answer.failure.message}`)
          continue
        }
        answered++
        assert.isTrue(numbersOf(answer.success).every(Number.isFinite), `${name} of ${coin}`)
      }
    }
    return answered
  }).pipe(Effect.provide(Layer.provideMerge(layerTools, Layer.provideMerge(DerivedStore.layer, market))))
