import { assert } from "@effect/vitest"
import { getIvMetrics, getOptionChain, getOptionStrategy, getOptionStructure } from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import {
  assertNear,
  computeBlackPrice,
  computeSecondDerivative,
  computeSlope,
  normalCdf,
  yearMs
} from "./referenceFormulas.ts"
import { type CoinCheck, now, readWholeChain } from "./wholeChain.ts"

export const tradeChecks: ReadonlyArray<CoinCheck> = [
  [
    "a chain's marks are Black-76 prices on its forward, and its greeks are their derivatives",
    (coin) =>
      Effect.gen(function*() {
        const chain = yield* readWholeChain(coin)
        const { forward } = chain
        assert.isNotNull(forward)
        const years = (Date.parse(chain.expires_at) - now) / yearMs
        let compared = 0
        for (const { call, put, strike } of chain.rows) {
          for (const [type, side] of [["call", call], ["put", put]] as const) {
            if (
              side === null || side.delta === null || Math.abs(side.delta) < 0.03 || Math.abs(side.delta) > 0.97
            ) continue
            const sigma = side.iv_pct! / 100
            const ofForward = (x: number) => computeBlackPrice(x, strike, years, sigma, type)
            assertNear(side.mark, ofForward(forward), 1e-4, `${type} ${strike} mark`)
            assertNear(side.delta, computeSlope(ofForward, forward, 1e-4 * forward), 1e-4, `${type} ${strike} delta`)
            assertNear(
              side.gamma,
              computeSecondDerivative(ofForward, forward, 2e-3 * forward),
              1e-2,
              `${type} ${strike} gamma`
            )
            const vega = computeSlope((s) => computeBlackPrice(forward, strike, years, s, type), sigma, 1e-4)
            assertNear(side.vega_usd_per_pt, vega / 100, 1e-4, `${type} ${strike} vega`)
            const decay = -computeSlope((t) => computeBlackPrice(forward, strike, t, sigma, type), years, 1e-4 * years)
            assertNear(side.theta_usd_per_day, decay / 365, 1e-4, `${type} ${strike} theta`)
            compared++
          }
        }
        assert.isAbove(compared, 5)
        const smallChain = yield* callTool(getOptionChain, { coin, strikes_around: 3 })
        const distances = chain.rows.map(({ strike }) => Math.abs(Math.log(strike / forward))).sort((a, b) => a - b)
        assert.isTrue(
          smallChain.rows.every(({ strike }) => Math.abs(Math.log(strike / forward)) <= distances[2]! + 1e-12)
        )
        assert.isTrue(smallChain.notes.some((note) => note.startsWith(`3 of ${chain.strikes_listed} strikes`)))
      })
  ],
  [
    "a structure of one leg has the chain's greeks, bought at its ask and sold at its bid",
    (coin) =>
      Effect.gen(function*() {
        const { expiry, forward, rows } = yield* readWholeChain(coin)
        const at = rows.filter(({ call, put }) => call?.bid && call.ask && put?.bid && put.ask)
          .reduce((a, b) => Math.abs(b.strike - forward) < Math.abs(a.strike - forward) ? b : a)
        for (const type of ["call", "put"] as const) {
          const quoted = at[type]!
          const greeks = {
            delta: quoted.delta,
            gamma: quoted.gamma,
            theta_usd_per_day: quoted.theta_usd_per_day,
            vega_usd_per_pt: quoted.vega_usd_per_pt
          }
          const ask = { coin, expiry, legs: [{ type, strike: at.strike, side: "buy" as const }] }
          const boughtStructure = yield* callTool(getOptionStructure, ask)
          assert.deepInclude(boughtStructure, { ...greeks, debit_usd: quoted.ask!, max_loss_usd: -quoted.ask! })
          assert.deepInclude(boughtStructure.legs[0], { ...greeks, price_source: "ask", iv_pct: quoted.iv_pct })
          const soldStructure = yield* callTool(getOptionStructure, {
            ...ask,
            legs: [{ type, strike: at.strike, side: "short", qty: 2 }]
          })
          assertNear(soldStructure.delta, -2 * quoted.delta!, 1e-12, "delta sold")
          assertNear(soldStructure.vega_usd_per_pt, -2 * quoted.vega_usd_per_pt!, 1e-9, "vega sold")
          assertNear(soldStructure.debit_usd, -2 * quoted.bid!, 1e-9, "credit")
          assertNear(soldStructure.mid_debit_usd, -(quoted.bid! + quoted.ask!), 1e-9, "middle")
          if (type === "call") {
            assert.isNull(boughtStructure.max_profit_usd)
            assert.isTrue(boughtStructure.notes.some((note) => note.includes("Profit is unlimited")))
            assert.isNull(soldStructure.max_loss_usd)
            assert.isTrue(soldStructure.notes.some((note) => note.includes("Loss is unlimited")))
          } else assertNear(soldStructure.max_loss_usd, -2 * (at.strike - quoted.bid!), 1e-9, "a put loses down to 0")
          // Without a spread, exactly one of buyer and seller would win. Because of the bid-ask spread, both may lose,
          // so the sum of the two probabilities is below 1.
          const totalProbability = boughtStructure.probability_of_profit! + soldStructure.probability_of_profit!
          assert.isTrue(totalProbability > 0.9 && totalProbability <= 1, `${coin} ${type} ${totalProbability}`)
        }
      })
  ],
  [
    "the payoff, bounds, break-even points and probability of a spread follow from its legs",
    (coin) =>
      Effect.gen(function*() {
        const { expiry, forward, rows } = yield* readWholeChain(coin)
        const quoted = rows.filter(({ call, put }) => call?.bid && call.ask && put?.bid && put.ask)
        const [low, high] = [quoted[1]!, quoted.at(-2)!]
        const structure = yield* callTool(getOptionStructure, {
          coin,
          expiry,
          legs: [
            { type: "call", strike: low.strike + 0.001, side: "long", qty: 3 },
            { type: "call", strike: high.strike, side: "sell", qty: 3 }
          ]
        })
        const debit = 3 * (low.call!.ask! - high.call!.bid!)
        assertNear(structure.debit_usd, debit, 1e-9, "debit")
        assertNear(structure.max_loss_usd, -debit, 1e-9, "worst")
        assertNear(structure.max_profit_usd, 3 * (high.strike - low.strike) - debit, 1e-9, "best")
        assertNear(structure.break_evens[0]!, low.strike + debit / 3, 1e-9, "root")
        assert.strictEqual(structure.break_evens.length, 1)
        assert.isTrue(structure.notes.some((note) => note.includes(`${low.strike + 0.001} by ${low.strike}`)))
        for (const { pnl_usd, price } of structure.payoff) {
          const spreadPayout = Math.max(0, price - low.strike) - Math.max(0, price - high.strike)
          assert.isAtMost(Math.abs(pnl_usd - (3 * spreadPayout - debit)), 1e-5 * Math.max(1, debit))
        }
        const v = structure.atm_iv_pct! / 100 * Math.sqrt(structure.days / 365)
        assertNear(
          structure.probability_of_profit,
          normalCdf(Math.log(forward / structure.break_evens[0]!) / v),
          1e-4,
          "odds"
        )
        assertNear(structure.delta, 3 * (low.call!.delta! - high.call!.delta!), 1e-9, "delta")
        assertNear(
          structure.theta_usd_per_day,
          3 * (low.call!.theta_usd_per_day! - high.call!.theta_usd_per_day!),
          1e-9,
          "theta"
        )
      })
  ],
  [
    "a suggested structure has the same prices in get_option_structure with the suggested arguments",
    (coin) =>
      Effect.gen(function*() {
        for (const view of ["bullish", "bearish", "neutral", "volatile"] as const) {
          const strategy = yield* callTool(getOptionStrategy, { coin, view })
          assert.deepInclude(strategy, { view, view_from: "argument" })
          assert.isAtLeast(strategy.structures.length, 2, `${coin} ${view}`)
          for (const { structure_arguments, anchors, family, legs, ...priced } of strategy.structures) {
            const structure = yield* callTool(getOptionStructure, structure_arguments)
            for (
              const field of [
                "debit_usd",
                "max_profit_usd",
                "max_loss_usd",
                "break_evens",
                "probability_of_profit"
              ] as const
            ) {
              assert.deepStrictEqual(priced[field], structure[field], `${coin} ${family} ${field}`)
            }
            assert.isTrue(
              structure.legs.every((leg) => leg.requested_strike === leg.strike && leg.price_source !== "mark")
            )
            assert.deepStrictEqual(legs.map(({ strike }) => strike), anchors.map(({ strike }) => strike))
            if (view === "bullish") assert.isAbove(structure.delta!, 0, family)
            if (view === "bearish") assert.isBelow(structure.delta!, 0, family)
            if (view === "neutral") assert.isBelow(structure.vega_usd_per_pt!, 0, family)
            if (view === "volatile") assert.isAbove(structure.vega_usd_per_pt!, 0, family)
          }
        }
        const strategyResult = yield* callTool(getOptionStrategy, { coin })
        const { iv_minus_rv, move_14d_sd } = strategyResult.market
        const expectedView = Math.abs(move_14d_sd!) >= 0.75
          ? move_14d_sd! > 0 ? "bullish" : "bearish"
          : iv_minus_rv! < 0
          ? "volatile"
          : "neutral"
        assert.deepStrictEqual([strategyResult.view, strategyResult.view_from], [expectedView, "market"])
        const metrics = yield* callTool(getIvMetrics, { coin })
        assert.deepStrictEqual(
          [
            strategyResult.market.iv_30d_pct,
            strategyResult.market.iv_percentile,
            iv_minus_rv,
            strategyResult.market.skew_25d
          ],
          [metrics.atm_iv_pct["30d"], metrics.iv_percentile, metrics.iv_minus_rv, metrics.skew_25d]
        )
      })
  ]
]
