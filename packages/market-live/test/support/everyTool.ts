import { assert } from "@effect/vitest"
import { DerivedStore, specifications, Toolbox, tools, type ToolSpecification } from "@tapeline/core"
import type { MarketPorts } from "@tapeline/core/market"
import { callHandler, collectNumbers } from "@tapeline/testing/toolCalls"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"

/** The tools that need only market ports and derived data. */
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

const layerTools = Toolbox.layer(tools.filter(({ specification: { name } }) => storedDataTools.includes(name)))

export const callToolOver = <E, S extends ToolSpecification>(
  market: Layer.Layer<MarketPorts, E>,
  specification: S,
  args: object
) =>
  Effect.provide(
    callHandler(specification, args),
    Layer.provideMerge(layerTools, Layer.provideMerge(DerivedStore.layer, market))
  )

/** Asserts that each tool returns finite numbers or reports the missing data. */
export const checkAllTools = <E>(market: Layer.Layer<MarketPorts, E>, coins: ReadonlyArray<string>, time: number) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(time)
    const calledTools = specifications.filter(({ name }) => storedDataTools.includes(name))
    assert.strictEqual(calledTools.length, storedDataTools.length)
    let answeredCount = 0
    for (const coin of coins) {
      for (const specification of calledTools) {
        const { example, name, parameters } = specification
        const args = "coin" in parameters.fields ? { ...example, coin } : example
        const answer = yield* Effect.result(callHandler(specification, args))
        if (Result.isFailure(answer)) {
          const code = answer.failure._tag === "ToolFailure" ? answer.failure.code : answer.failure._tag
          assert.include(["no_data", "unknown_symbol"], code, `${name} of ${coin}: ${answer.failure.message}`)
          continue
        }
        answeredCount++
        assert.isTrue(collectNumbers(answer.success).every(Number.isFinite), `${name} of ${coin}`)
      }
    }
    return answeredCount
  }).pipe(Effect.provide(Layer.provideMerge(layerTools, Layer.provideMerge(DerivedStore.layer, market))))
