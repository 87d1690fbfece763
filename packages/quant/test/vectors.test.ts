/** Runs published test cases, each with its source in vectors.json. */
import {
  atr,
  black76,
  blackScholes,
  brier,
  cagr,
  expectancy,
  fibonacci,
  fundingAnnualised,
  gexPer1Pct,
  impliedVolatility,
  ivAtMaturity,
  ivPercentile,
  ivRank,
  jaccard,
  kimchiPremium,
  liquidationPrice,
  macd,
  maxDrawdown,
  maxPain,
  minhash,
  minhashSimilarity,
  momentum,
  painByStrike,
  probabilityTouch,
  profitFactor,
  putCallRatio,
  realisedVolatility,
  rMultiple,
  roc,
  rsi,
  sharpe,
  sortino,
  structurePayoff,
  takerBuyShare,
  trueRange,
  wilder,
  wilson,
  winRate
} from "@tapeline/quant"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

interface Case {
  readonly name: string
  readonly quantity: string
  // The inputs and the results have different types for each quantity.
  readonly inputs: any
  readonly expected: any
  readonly tolerance: number
  readonly source: string
}

const cases: ReadonlyArray<Case> = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"))

type Pairs = Array<readonly [label: string, got: unknown, wanted: unknown]>

const atBars = (series: Float64Array, expected: Record<string, number>): Pairs =>
  Object.entries(expected).map(([bar, expected]) => [`bar ${bar}`, series[Number(bar)], expected])

const option = ({ S, K, T, r, q, sigma, type }: any) =>
  blackScholes({ spot: S, strike: K, years: T, rate: r, dividend: q, sigma, type })

const quantities: Record<string, (inputs: any, expected: any) => Pairs> = {
  rsi: (x, expected) => atBars(rsi(x.close, x.period), expected),
  macd: (x, expected) => {
    const { line, signal, histogram } = macd(x.close, x.fast, x.slow, x.signal)
    return Object.entries<any>(expected).flatMap(([bar, value]): Pairs => [
      [`line ${bar}`, line[Number(bar)], value.macd],
      [`signal ${bar}`, signal[Number(bar)], value.signal],
      [`histogram ${bar}`, histogram[Number(bar)], value.hist]
    ])
  },
  atr: (x, expected) => atBars(atr(x.high, x.low, x.close, x.period), expected),
  true_range: (x, expected) => atBars(trueRange(x.high, x.low, x.close), expected),
  momentum_diff: (x, expected) => atBars(momentum(x.close, x.period), expected),
  momentum_roc_pct: (x, expected) => atBars(roc(x.close, x.period), expected),
  wilder_smoothing: (x, expected) => atBars(wilder(x.values, x.period), expected),
  bs_price: (x, expected) => [
    ["call", option({ ...x, type: "call" }).price, expected.call],
    ["put", option({ ...x, type: "put" }).price, expected.put]
  ],
  bs_price_batch: (list, expected) => list.map((x: any, i: number) => [`${i}`, option(x).price, expected[i]]),
  bs_greeks: (x, expected) => {
    const greeks = option(x)
    const named: Record<string, number> = {
      delta: greeks.delta,
      gamma: greeks.gamma,
      "vega_per_1.00": greeks.vega,
      theta_per_year: greeks.theta,
      rho: greeks.rho
    }
    return Object.entries(expected).map(([name, expected]) => [name, named[name], expected])
  },
  black76_price: (x, expected) =>
    (["call", "put"] as const).map((type) => [
      type,
      black76({ forward: x.F, strike: x.K, years: x.T, rate: x.r, sigma: x.sigma, type }).price,
      expected[type]
    ]),
  implied_vol: (x, expected) => [
    [
      "iv",
      impliedVolatility({ price: x.price, spot: x.S, strike: x.K, years: x.T, rate: x.r, dividend: x.q, type: x.type }),
      expected
    ]
  ],
  option_structure: (x, expected) => {
    const result = structurePayoff(
      x.legs.map(({ type, K, qty, premium }: any) => ({ type, strike: K, qty, premium })),
      { multiplier: x.multiplier }
    )
    return [
      ["max profit", result.maxProfit, expected.max_profit],
      ["max loss", result.maxLoss, expected.max_loss],
      ["number of break-evens", result.breakEvens.length, expected.break_evens.length],
      ...expected.break_evens.map((at: number, i: number) => [`break-even ${i}`, result.breakEvens[i], at] as const),
      ...Object.entries(expected.payoff).map(([spot, value]) =>
        [`payoff at ${spot}`, result.payoff(Number(spot)), value] as const
      )
    ]
  },
  max_pain: (x, expected) => {
    const chain = { strikes: x.strikes, callOi: x.call_oi, putOi: x.put_oi }
    const pains = painByStrike(chain, x.multiplier)
    return [
      ["strike", maxPain(chain), expected.max_pain],
      ...x.strikes.map((strike: number, i: number) => [`pain at ${strike}`, pains[i], expected.pain[strike]] as const)
    ]
  },
  put_call_ratio_oi: (x, expected) => [["ratio", putCallRatio(x.put_oi, x.call_oi), expected]],
  iv_rank: (x, expected) => [["rank", ivRank(x.current, [x.low, x.high]), expected]],
  iv_rank_percentile: (x, expected) => [
    ["rank", ivRank(x.current, x.history), expected.iv_rank],
    ["percentile", ivPercentile(x.current, x.history), expected.iv_percentile]
  ],
  realized_vol: (x, expected) => [["volatility", realisedVolatility(x.prices, x.periods_per_year), expected]],
  taker_buy_share_pct: (x, expected) => [["share", 100 * takerBuyShare(x.buy, x.sell)!, expected]],
  r_multiple: (x, expected) => [["R", rMultiple(x), expected]],
  expectancy_r: (x, expected) => [["R", expectancy(x.r), expected]],
  sharpe: (x, expected) => [["ratio", sharpe(x.returns, x.periods_per_year, x.rf), expected]],
  sortino: (x, expected) => [["ratio", sortino(x.returns, x.periods_per_year, x.mar), expected]],
  cagr: (x, expected) => [["rate", cagr(x.returns, x.periods_per_year), expected]],
  max_drawdown: (x, expected) => [["drawdown", maxDrawdown(x.returns), expected]],
  profit_factor_win_rate: (x, expected) => [
    ["profit factor", profitFactor(x.returns), expected.profit_factor],
    ["win rate", winRate(x.returns), expected.win_rate]
  ],
  wilson_ci95: (x, expected) => {
    const [low, high] = wilson(x.k, x.n)
    return [["low", low, expected[0]], ["high", high, expected[1]]]
  },
  brier_score: (x, expected) => [["score", brier(x.y, x.p), expected]],
  minhash_signature: (x, expected) => {
    const hashSet = (name: string) => minhash(x.sets[name], x.hashes)
    return [
      ...Object.keys(x.sets).flatMap((name) =>
        Array.from(hashSet(name), (value, i) => [`${name}[${i}]`, value, expected[name][i]] as const)
      ),
      ["estimate", minhashSimilarity(hashSet("S1"), hashSet("S4")), expected.est_jaccard_S1_S4],
      ["true", jaccard(x.sets.S1, x.sets.S4), expected.true_jaccard_S1_S4]
    ]
  },
  fib_retracement: (x, expected) => [["price", fibonacci(x.low, x.high, x.direction, [x.ratio])[0]!.price, expected]],
  gex_dollar_per_1pct: (x, expected) => [["gex", gexPer1Pct(x), expected]],
  kimchi_premium: (x, expected) => {
    const premium = kimchiPremium({
      krwPrice: x.btc_krw,
      usdtPrice: x.btc_usdt,
      usdtKrw: x.usdt_krw,
      usdKrw: x.usd_krw
    })
    return [
      ["total", 100 * premium.total, expected.total_pct],
      ["currency leg", 100 * premium.currencyLeg, expected.currency_leg_pct],
      ["asset leg", 100 * premium.assetLeg, expected.asset_leg_pct]
    ]
  },
  touch_probability: (x, expected) => [["p", probabilityTouch(x.S, x.B, x.sigma_T), expected]],
  liq_price_binance_isolated: (x, expected) => [[
    "price",
    liquidationPrice({
      side: x.side,
      entry: x.entry,
      quantity: x.qty,
      wallet: x.wallet,
      maintenanceRate: x.mmr,
      maintenanceAmount: x.cum
    }),
    expected
  ]],
  iv_constant_maturity: (
    x,
    expected
  ) => [["iv", ivAtMaturity({ days: [x.d1, x.d2], ivs: [x.iv1, x.iv2] }, x.target), expected]],
  funding_apr_pct: (x, expected) => [["rate", 100 * fundingAnnualised(x.rate_8h), expected]]
}

describe("published cases", () => {
  for (const { name, quantity, inputs, expected, tolerance, source } of cases) {
    it(`${name}: ${source}`, () => {
      const evaluate = quantities[quantity]
      if (evaluate === undefined) throw new Error(`no adapter for the quantity ${quantity}`)
      const pairs = evaluate(inputs, expected)
      expect(pairs.length).toBeGreaterThan(0)
      const mismatches = pairs.filter(([, actual, expected]) =>
        !(typeof actual === "number" && typeof expected === "number" && Math.abs(actual - expected) <= tolerance)
      )
      expect(mismatches).toEqual([])
    })
  }
})
