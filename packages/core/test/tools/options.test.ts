import { assert, describe, it } from "@effect/vitest"
import { dayMs, hourMs, type IvPoint, type OptionTrade, pickTools, Toolbox, tools } from "@tapeline/core"
import {
  getIvMetrics,
  getOptionChain,
  getOptionFlow,
  getOptionsBacktest,
  getOptionsPositioning,
  getOptionStrategy,
  getOptionStructure,
  getVolSurface
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect, Layer } from "effect"
import { now } from "./fakeMarket.ts"
import {
  layerOptionVenue,
  makeChain,
  makeExpiry,
  strikes,
  unavailable,
  type VenueData,
  withChangedQuotes
} from "./optionVenue.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const names = [
  "get_iv_metrics",
  "get_option_chain",
  "get_option_flow",
  "get_options_backtest",
  "get_options_positioning",
  "get_option_strategy",
  "get_option_structure",
  "get_vol_surface"
] as const

const over = (venue: VenueData) =>
  makeRunOnEngine(Toolbox.layer(pickTools(tools, names)).pipe(Layer.provide(layerOptionVenue(venue))))

const coin = "BTC"
// The last Friday of July 2026 is a little more than 35 days away, so the second expiry is a monthly expiry.
const monthly = Math.floor(Date.UTC(2026, 6, 31, 8) - now) / dayMs
const [near, far] = [makeExpiry(20), makeExpiry(monthly)]
const fullChain = makeChain([near, far, makeExpiry(100)])
const notesOf = ({ notes }: { readonly notes: ReadonlyArray<string> }) => notes.join("\n")

const points = (count: number, iv: (i: number) => number): ReadonlyArray<IvPoint> =>
  Array.from({ length: count }, (_, i) => ({ time: now - (count - 1 - i) * dayMs, ivPct: iv(i) }))

const trade = (facts: Partial<OptionTrade>): OptionTrade => ({
  time: now - hourMs,
  instrument: "BTC-10-100-call",
  type: "call",
  strike: 100,
  expiryAt: now + 10 * dayMs,
  side: "buy",
  size: 1,
  premiumUsd: 10,
  ivPct: 50,
  spot: 100,
  ...facts
})

describe("the choice of an expiry", () => {
  it.effect("takes the monthly expiry nearest to 30 days, else the nearest; an unknown date lists the expiries", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* over({ chain: fullChain })(callTool(getOptionChain, { coin }))).expiry, "2026-07-31")
      const weekly = over({ chain: makeChain([near, makeExpiry(27), makeExpiry(36)]) })
      const weeklyChain = yield* weekly(callTool(getOptionChain, { coin, expiry: null }))
      assert.closeTo(weeklyChain.days, 27, 1e-6)
      const { code, message } = yield* over({ chain: fullChain })(
        callExpectingFailure(getOptionChain, { coin, expiry: "2026-07-30" })
      )
      assert.strictEqual(code, "no_data")
      assert.include(message, "2026-07-31")
      const empty = yield* over({ chain: makeChain([]) })(callExpectingFailure(getOptionStructure, {
        coin,
        legs: [{ type: "call", strike: 100, side: "buy" }]
      }))
      assert.strictEqual(empty.code, "no_data")
    }))
})

describe("an option structure", () => {
  const condor = [
    { type: "put", strike: 80, side: "buy" },
    { type: "put", strike: 90, side: "sell" },
    { type: "call", strike: 110, side: "sell" },
    { type: "call", strike: 120, side: "buy" }
  ] as const

  it.effect("matches an iron condor computed by hand", () =>
    over({ chain: fullChain })(Effect.gen(function*() {
      const answer = yield* callTool(getOptionStructure, { coin, legs: condor })
      const quote = (type: string, strike: number) =>
        far.quotes.find((one) => one.type === type && one.strike === strike)!
      const debit = quote("put", 80).ask! - quote("put", 90).bid! - quote("call", 110).bid! + quote("call", 120).ask!
      assert.closeTo(answer.debit_usd, debit, 1e-8)
      const legs = [quote("put", 80), quote("put", 90), quote("call", 110), quote("call", 120)]
      assert.closeTo(answer.mid_debit_usd, debit - legs.reduce((sum, leg) => sum + 0.1 * leg.mark!, 0), 1e-8)
      assert.closeTo(answer.max_profit_usd!, -debit, 1e-8)
      assert.closeTo(answer.max_loss_usd!, -10 - debit, 1e-8)
      assert.closeTo(answer.break_evens[0]!, 90 + debit, 1e-8)
      assert.closeTo(answer.break_evens[1]!, 110 - debit, 1e-8)
      for (const { pnl_usd, price } of answer.payoff) {
        const expectedLoss = Math.min(10, Math.max(0, 90 - price, price - 110))
        assert.closeTo(pnl_usd, -debit - expectedLoss, 1e-8)
      }
      assert.deepStrictEqual(answer.notes, [])
    })))

  it.effect("prices an unquoted leg at its mark with a note, and fails without any price", () =>
    Effect.gen(function*() {
      const one = { coin, legs: [{ type: "call", strike: 100, side: "buy", qty: null }] } as const
      const chainWithoutAsks = makeChain([withChangedQuotes(far, () => ({ ask: null }))])
      const structureAtMark = yield* over({ chain: chainWithoutAsks })(callTool(getOptionStructure, one))
      assert.strictEqual(structureAtMark.legs[0]!.price_source, "mark")
      assert.include(notesOf(structureAtMark), "Priced at the mark, because the required side has no quote")
      const silent = makeChain([withChangedQuotes(far, () => ({ ask: null, mark: null }))])
      const failure = yield* over({ chain: silent })(callExpectingFailure(getOptionStructure, one))
      assert.strictEqual(failure.code, "no_data")
      assert.include(failure.message, `BTC-${monthly}-100-call`)
    }))

  it.effect("has a price but no greeks without volatility, with a note", () =>
    over({ chain: makeChain([{ ...withChangedQuotes(far, () => ({ ivPct: null })), forward: null }]) })(
      Effect.gen(function*() {
        const answer = yield* callTool(getOptionStructure, { coin, legs: condor })
        assert.deepInclude(answer, { delta: null, probability_of_profit: null, atm_iv_pct: null, forward: null })
        assert.isNotNull(answer.max_loss_usd)
        assert.include(notesOf(answer), "Greeks are null")
        assert.include(notesOf(answer), "probability_of_profit is null")
        const chain = yield* callTool(getOptionChain, { coin })
        assert.include(notesOf(chain), "No source reports the forward")
        assert.isTrue(chain.rows.every(({ call, put }) => call!.delta === null && put!.vega_usd_per_pt === null))
      })
    ))

  it.effect("rejects invalid legs before it reads any data", () =>
    over({})(Effect.gen(function*() {
      const leg = { type: "call", strike: 100, side: "buy" }
      for (
        const legs of [
          [],
          Array.from({ length: 9 }, () => leg),
          [{ ...leg, qty: 0 }],
          [{ ...leg, qty: 1e7 }],
          [{
            ...leg,
            strike: 0
          }],
          [{ ...leg, side: "hold" }],
          [{ ...leg, type: "future" }]
        ]
      ) {
        const argumentError = yield* Effect.flip(callExpectingFailure(getOptionStructure, { coin, legs }))
        assert.strictEqual(argumentError._tag, "InvalidArguments", JSON.stringify(legs))
      }
    })))
})

describe("option positioning", () => {
  it.effect("matches one open option computed by hand: max pain, ratio, gamma, walls", () => {
    const one = withChangedQuotes(
      far,
      ({ strike, type }) => ({ openInterest: type === "put" && strike === 90 ? 5 : 0 })
    )
    return over({ chain: makeChain([one]) })(Effect.gen(function*() {
      const result = yield* callTool(getOptionsPositioning, { coin, expiry: "2026-07-31" })
      assert.deepStrictEqual(result.oi_by_strike, [{ strike: 90, call_oi: 0, put_oi: 5, oi_usd: 500 }])
      // The put pays nothing at strikes of 90 and above. Of the strikes from 90 upwards, 100 is the nearest to the
      // forward price.
      assert.deepStrictEqual(result.max_pain, [{ expiry: "2026-07-31", strike: 100, oi: 5 }])
      assert.deepInclude(result, { put_call_ratio_oi: null, call_wall: null, put_wall: 90, gamma_flip: null })
      assert.isBelow(result.gex_usd_per_1pct!, 0)
      assert.deepStrictEqual(result.gex_by_strike, [{ strike: 90, gex_usd: result.gex_usd_per_1pct! }])
      assert.include(notesOf(result), "gamma_flip is null")
    }))
  })

  it.effect("is null if no source reports open interest", () =>
    over({ chain: makeChain([withChangedQuotes(far, () => ({ openInterest: null, volume24h: null }))]) })(
      Effect.gen(function*() {
        const result = yield* callTool(getOptionsPositioning, { coin })
        assert.deepInclude(result, {
          oi_total: null,
          put_call_ratio_oi: null,
          put_call_ratio_volume: null,
          gex_usd_per_1pct: null,
          vanna: null,
          charm: null,
          call_wall: null
        })
        assert.deepStrictEqual([result.oi_by_strike, result.gamma_profile, result.gex_by_strike], [[], [], []])
        assert.strictEqual(result.max_pain[0]!.strike, null)
        assert.include(notesOf(result), "No source reports open interest")
      })
    ))

  it.effect("counts options without volatility in open interest, but not in gamma", () =>
    over({ chain: makeChain([withChangedQuotes(far, ({ strike }) => (strike === 100 ? { ivPct: null } : {}))]) })(
      Effect.gen(function*() {
        const result = yield* callTool(getOptionsPositioning, { coin })
        assert.strictEqual(result.oi_total, 30 * strikes.length)
        assert.isUndefined(result.gex_by_strike.find(({ strike }) => strike === 100))
        assert.include(notesOf(result), "2 options without volatility or forward")
      })
    ))
})

describe("implied volatility", () => {
  it.effect("interpolates a flat surface of 50 % between expiries, and is null beyond them", () =>
    over({ chain: fullChain, history: { method: "atm_interpolated", points: points(40, (i) => 30.5 + i) } })(
      Effect.gen(function*() {
        const metrics = yield* callTool(getIvMetrics, { coin })
        assert.deepStrictEqual(metrics.atm_iv_pct, { "7d": null, "30d": 50, "90d": 50 })
        assert.deepInclude(metrics, { skew_25d: 0, butterfly_25d: 0, term_slope_pts: null })
        assert.deepInclude(metrics, { iv_percentile: 50 })
        assert.closeTo(metrics.iv_rank!, 100 * 19.5 / 39, 1e-4)
        assert.include(notesOf(metrics), "40 days")
        const surface = yield* callTool(getVolSurface, { coin })
        assert.deepInclude(surface, { arbitrage_free: true })
        assert.isBelow(Math.max(...surface.by_expiry.map(({ fit_rmse_pct }) => fit_rmse_pct!)), 0.01)
        assert.deepInclude(surface.constant_maturity[1], { atm: 50, atm_percentile: 50, n: 40 })
        assert.deepStrictEqual(surface.constant_maturity[0], {
          days: 7,
          atm: null,
          rr25: null,
          bf25: null,
          atm_percentile: null,
          n: 0
        })
      })
    ))

  it.effect("reports falling total variance between expiries as arbitrage", () => {
    const cheap = withChangedQuotes(far, () => ({ ivPct: 15 }))
    return over({ chain: makeChain([near, cheap]) })(Effect.gen(function*() {
      const surface = yield* callTool(getVolSurface, { coin })
      assert.deepInclude(surface, { calendar_free: false, arbitrage_free: false })
    }))
  })

  it.effect("has no smile without bids, and no rank without history", () =>
    over({ chain: makeChain([withChangedQuotes(far, () => ({ bid: null }))]) })(Effect.gen(function*() {
      const metrics = yield* callTool(getIvMetrics, { coin })
      assert.deepInclude(metrics, { iv_rank: null, iv_percentile: null, history: null, skew_25d: null })
      assert.include(notesOf(metrics), "No 30-day IV")
      assert.include(notesOf(metrics), "iv_rank and iv_percentile are null")
      const surface = yield* callTool(getVolSurface, { coin })
      assert.deepInclude(surface, { arbitrage_free: null, calendar_free: null })
      assert.deepInclude(surface.by_expiry[0], { svi: null, n: 0, fit_rmse_pct: null })
      const strategy = yield* callTool(getOptionStrategy, { coin, view: "volatile" })
      assert.deepStrictEqual(strategy.structures, [])
      assert.include(notesOf(strategy), "long_straddle, long_strangle, reverse_iron_condor")
    })))

  it.effect("ranks an index by its own history, and has no rank without a range", () =>
    over({ chain: fullChain, history: { method: "index", points: points(365, () => 61) } })(Effect.gen(function*() {
      const metrics = yield* callTool(getIvMetrics, { coin })
      assert.deepInclude(metrics.history, { method: "index", current_pct: 61 })
      assert.deepInclude(metrics, { iv_rank: null, iv_percentile: 0 })
      assert.include(notesOf(metrics), "of the venue's index, whose level differs from atm_iv_pct")
      const surface = yield* callTool(getVolSurface, { coin })
      assert.include(notesOf(surface), "of the venue's index, whose level differs from atm.")
      const strategy = yield* callTool(getOptionStrategy, { coin })
      assert.include(notesOf(strategy), "of the venue's index, whose level differs from iv_30d_pct")
    })))
})

describe("option flow", () => {
  it.effect("adds bought calls and sold puts to the net delta, and lists only trades above the minimum", () =>
    over({ trades: [trade({}), trade({ type: "put", side: "sell", premiumUsd: 30, time: now })] })(
      Effect.gen(function*() {
        const flow = yield* callTool(getOptionFlow, { coin })
        assert.deepStrictEqual(flow.calls, { bought_usd: 10, sold_usd: 0, trades: 1 })
        assert.deepStrictEqual(flow.puts, { bought_usd: 0, sold_usd: 30, trades: 1 })
        assert.strictEqual(flow.net_delta_usd, 100)
        assert.deepInclude(flow, { n: 2, premium_usd: 40, call_put_premium_ratio: 0.333333, net_vega_usd: 0 })
        assert.deepStrictEqual(flow.trades.map(({ premium_usd }) => premium_usd), [30, 10])
        const large = yield* callTool(getOptionFlow, { coin, min_premium_usd: 50 })
        assert.deepInclude(large, { n: 2, trades: [] })
        assert.include(notesOf(large), "No trade reached")
      })
    ))

  it.effect("returns zeros without trades, and counts only the newest trades above the limit", () =>
    Effect.gen(function*() {
      const emptyFlow = yield* over({ trades: [] })(callTool(getOptionFlow, { coin, hours: 1 }))
      assert.deepInclude(emptyFlow, { n: 0, premium_usd: 0, call_put_premium_ratio: null, net_delta_usd: 0 })
      assert.include(notesOf(emptyFlow), "No options were traded in the last 1 hours")
      const trades = Array.from({ length: 50_001 }, (_, i) => trade({ time: now - 60_000 + i }))
      const allTrades = yield* over({ trades })(callTool(getOptionFlow, { coin, top: 1 }))
      assert.deepInclude(allTrades, { n: 50_000, from: new Date(now - 60_000 + 1).toISOString() })
      assert.include(notesOf(allTrades), "Only the newest 50000 trades")
    }))
})

describe("the backtest of implied volatility", () => {
  it.effect("has no rates if there are too few windows", () =>
    over({ history: { method: "atm_interpolated", points: points(100, () => 50) } })(Effect.gen(function*() {
      const short = yield* callTool(getOptionsBacktest, { coin, fwd_days: 14 })
      assert.isBelow(short.overall.n, 8)
      assert.deepInclude(short.overall, { win_rate: null, wilson_low: null, mean_edge_vol_pts: null })
      assert.include(notesOf(short), "Fewer than 20 windows")
      assert.strictEqual(short.now.regime, "low")
    })))

  it.effect("fails without history, and option tools fail if their source is unavailable", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* over({})(callExpectingFailure(getOptionsBacktest, { coin }))).code, "no_data")
      for (const tool of [getIvMetrics, getOptionsPositioning, getOptionStrategy, getVolSurface, getOptionChain]) {
        const failed = yield* over({ chain: unavailable })(callExpectingFailure(tool, { coin }))
        assert.deepInclude(failed, { code: "source_unavailable", retryable: true }, tool.name)
      }
      const legs = [{ type: "call", strike: 100, side: "buy" }]
      assert.strictEqual(
        (yield* over({ chain: unavailable })(callExpectingFailure(getOptionStructure, { coin, legs }))).code,
        unavailable.toolFailure.code
      )
      assert.strictEqual(
        (yield* over({ trades: unavailable })(callExpectingFailure(getOptionFlow, { coin }))).code,
        unavailable.toolFailure.code
      )
    }))
})
