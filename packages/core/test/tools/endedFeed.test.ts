import { assert, describe, it } from "@effect/vitest"
import { CoinDerivatives, hourMs, mapReading, pickTools, Toolbox, tools } from "@tapeline/core"
import {
  getActiveSignals,
  getCoil,
  getHitRate,
  getScore,
  getScoreHistory,
  getSignalOutcomes
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const withTools = makeRunOnEngine(Toolbox.layer(pickTools(tools, [
  "get_active_signals",
  "get_coil",
  "get_hit_rate",
  "get_score",
  "get_score_history",
  "get_signal_outcomes"
])))

const silent = makeFakeMarket({ lagMs: () => 30 * hourMs })
const newest = Math.floor(now / hourMs) * hourMs - 30 * hourMs

describe("a feed that has ended", () => {
  it.effect("fails tools that need the present", () =>
    withTools(
      Effect.gen(function*() {
        for (
          const [specification, args] of [
            [getScore, { coin: "BTC" }],
            [getCoil, { coin: "BTC" }],
            [getActiveSignals, {}]
          ] as const
        ) {
          const { code, message } = yield* callExpectingFailure(specification, args)
          assert.strictEqual(code, "no_data")
          assert.match(message, /^Not all hourly candles of BTC.* that this result needs were recorded\.$/u)
        }
      }),
      { market: silent }
    ))

  it.effect("dates results about the past by the last recorded hour, with a note", () =>
    withTools(
      Effect.gen(function*() {
        const answers = [
          yield* callTool(getHitRate, {}),
          yield* callTool(getHitRate, { coin: "SOL" }),
          yield* callTool(getSignalOutcomes, {}),
          yield* callTool(getScoreHistory, { coin: "SOL", hours: 60 })
        ]
        for (const { as_of, notes } of answers) {
          assert.strictEqual(Date.parse(as_of), newest)
          assert.isTrue(
            notes.some((note) => note.startsWith("The last hours of these coins") || note.startsWith("No hour"))
          )
        }
      }),
      { market: silent }
    ))
})

it.effect("dates every result by the hour before until the last hour is recorded", () =>
  withTools(
    Effect.gen(function*() {
      const { as_of } = yield* callTool(getScore, { coin: "BTC" })
      assert.strictEqual(Date.parse(as_of), Math.floor(now / hourMs) * hourMs - hourMs)
      for (
        const answer of [
          yield* callTool(getHitRate, { coin: "SOL" }),
          yield* callTool(getSignalOutcomes, {}),
          yield* callTool(getActiveSignals, {}),
          yield* callTool(getScoreHistory, { coin: "BTC", hours: 10 })
        ]
      ) {
        assert.strictEqual(answer.as_of, as_of)
        assert.isFalse(
          answer.notes.some((note) => note.startsWith("The last hours of these coins") || note.startsWith("No hour"))
        )
      }
    }),
    { market: makeFakeMarket({ lagMs: () => hourMs }) }
  ))

it.effect("notes only the missing funding rate of a coil if the rest of the perpetual is known", () => {
  const fixture = makeFakeMarket()
  const layerWithoutPayments = Layer.effect(
    CoinDerivatives,
    Effect.map(CoinDerivatives, (derivatives) => ({
      ...derivatives,
      perpetualHistory: (query) =>
        Effect.map(derivatives.perpetualHistory(query), (read) =>
          mapReading(read, (series) => ({
            ...series,
            points: series.points.map((point) => ({ ...point, fundingRate: null }))
          })))
    }))
  )
  return withTools(
    Effect.gen(function*() {
      const { fuel, notes } = yield* callTool(getCoil, { coin: "BTC" })
      assert.isNotNull(fuel.open_interest_change_pct)
      assert.deepStrictEqual([fuel.funding_rate_pct, fuel.score], [null, null])
      assert.deepStrictEqual(notes, [
        "fuel has no funding and no score: no funding rate of a perpetual is recorded for this hour."
      ])
    }),
    { market: { ...fixture, layer: layerWithoutPayments.pipe(Layer.provideMerge(fixture.layer)) } }
  )
})
