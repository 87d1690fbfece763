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
  // The inputs and the results have another shape for each quantity.
  readonly inputs: any
  readonly expected: any
  readonly tolerance: number
  readonly source: string
}

const cases: ReadonlyArray<Case> = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url), "utf8"))

type Pairs = Array<readonly [label: string, got: unknown, wanted: unknown]>

const atBars = (series: Float64Array, expected: Record<string, number>): Pairs =>
  Object.entries(expected).map(([bar, wanted]) => [`bar ${bar}`, series[Number(bar)], wanted])

const option = ({ S, K, T, r, q, sigma, type }: any) =>
  blackScholes({ spot: S, strike: K, years: T, rate: r, dividend: q, sigma, type })

const quantities: Record<string, (inputs: any, expected: any) => Pairs> = {
  rsi: (x, want) => atBars(rsi(x.close, x.period), want),
  macd: (x, want) => {
    const { line, signal, histogram } = macd(x.close, x.fast, x.slow, x.signal)
    return Object.entries<any>(want).flatMap(([bar, value]): Pairs => [
      [`line ${bar}`, line[Number(bar)], value.macd],
      [`signal ${bar}`, signal[Number(bar)], value.signal],
      [`histogram ${bar}`, histogram[Number(bar)], value.hist]
    ])
  },
  atr: (x, want) => atBars(atr(x.high, x.low, x.close, x.period), want),
  true_range: (x, want) => atBars(trueRange(x.high, x.low, x.close), want),
  momentum_diff: (x, want) => atBars(momentum(x.close, x.period), want),
  momentum_roc_pct: (x, want) => atBars(roc(x.close, x.period), want),
  wilder_smoothing: (x, want) => atBars(wilder(x.values, x.period), want),
  bs_price: (x, want) => [
    ["call", option({ ...x, type: "call" }).price, want.call],
    ["put", option({ ...x, type: "put" }).price, want.put]
  ],
  bs_price_batch: (list, want) => list.map((x: any, i: number) => [`${i}`, option(x).price, want[i]]),
  bs_greeks: (x, want) => {
    const greeks = option(x)
    const named: Record<string, number> = {
      delta: greeks.delta,
      gamma: greeks.gamma,
      "vega_per_1.00": greeks.vega,
      theta_per_year: greeks.theta,
      rho: greeks.rho
    }
    return Object.entries(want).map(([name, wanted]) => [name, named[name], wanted])
  },
  black76_price: (x, want) =>
    (["call", "put"] as const).map((type) => [
      type,
      black76({ forward: x.F, strike: x.K, years: x.T, rate: x.r, sigma: x.sigma, type }).price,
      want[type]
    ]),
  implied_vol: (x, want) => [
    [
      "iv",
      impliedVolatility({ price: x.price, spot: x.S, strike: x.K, years: x.T, rate: x.r, dividend: x.q, type: x.type }),
      want
    ]
  ],
  option_structure: (x, want) => {
    const result = structurePayoff(
      x.legs.map(({ type, K, qty, premium }: any) => ({ type, strike: K, qty, premium })),
      { multiplier: x.multiplier }
    )
    return [
      ["max profit", result.maxProfit, want.max_profit],
      ["max loss", result.maxLoss, want.max_loss],
      ["number of break-evens", result.breakEvens.length, want.break_evens.length],
      ...want.break_evens.map((at: number, i: number) => [`break-even ${i}`, result.breakEvens[i], at] as const),
      ...Object.entries(want.payoff).map(([spot, value]) =>
        [`payoff at ${spot}`, result.payoff(Number(spot)), value] as const
      )
    ]
  },
  max_pain: (x, want) => {
    const chain = { strikes: x.strikes, callOi: x.call_oi, putOi: x.put_oi }
    const pain = painByStrike(chain, x.multiplier)
    return [
      ["strike", maxPain(chain), want.max_pain],
      ...x.strikes.map((strike: number, i: number) => [`pain at ${strike}`, pain[i], want.pain[strike]] as const)
    ]
  },
  put_call_ratio_oi: (x, want) => [["ratio", putCallRatio(x.put_oi, x.call_oi), want]],
  iv_rank: (x, want) => [["rank", ivRank(x.current, [x.low, x.high]), want]],
  iv_rank_percentile: (x, want) => [
    ["rank", ivRank(x.current, x.history), want.iv_rank],
    ["percentile", ivPercentile(x.current, x.history), want.iv_percentile]
  ],
  realized_vol: (x, want) => [["volatility", realisedVolatility(x.prices, x.periods_per_year), want]],
  taker_buy_share_pct: (x, want) => [["share", 100 * takerBuyShare(x.buy, x.sell)!, want]],
  r_multiple: (x, want) => [["R", rMultiple(x), want]],
  expectancy_r: (x, want) => [["R", expectancy(x.r), want]],
  sharpe: (x, want) => [["ratio", sharpe(x.returns, x.periods_per_year, x.rf), want]],
  sortino: (x, want) => [["ratio", sortino(x.returns, x.periods_per_year, x.mar), want]],
  cagr: (x, want) => [["rate", cagr(x.returns, x.periods_per_year), want]],
  max_drawdown: (x, want) => [["drawdown", maxDrawdown(x.returns), want]],
  profit_factor_win_rate: (x, want) => [
    ["profit factor", profitFactor(x.returns), want.profit_factor],
    ["win rate", winRate(x.returns), want.win_rate]
  ],
  wilson_ci95: (x, want) => {
    const [low, high] = wilson(x.k, x.n)
    return [["low", low, want[0]], ["high", high, want[1]]]
  },
  brier_score: (x, want) => [["score", brier(x.y, x.p), want]],
  minhash_signature: (x, want) => {
    const of = (name: string) => minhash(x.sets[name], x.hashes)
    return [
      ...Object.keys(x.sets).flatMap((name) =>
        Array.from(of(name), (value, i) => [`${name}[${i}]`, value, want[name][i]] as const)
      ),
      ["estimate", minhashSimilarity(of("S1"), of("S4")), want.est_jaccard_S1_S4],
      ["true", jaccard(x.sets.S1, x.sets.S4), want.true_jaccard_S1_S4]
    ]
  },
  fib_retracement: (x, want) => [["price", fibonacci(x.low, x.high, x.direction, [x.ratio])[0]!.price, want]],
  gex_dollar_per_1pct: (x, want) => [["gex", gexPer1Pct(x), want]],
  kimchi_premium: (x, want) => {
    const premium = kimchiPremium({
      krwPrice: x.btc_krw,
      usdtPrice: x.btc_usdt,
      usdtKrw: x.usdt_krw,
      usdKrw: x.usd_krw
    })
    return [
      ["total", 100 * premium.total, want.total_pct],
      ["currency leg", 100 * premium.currencyLeg, want.currency_leg_pct],
      ["asset leg", 100 * premium.assetLeg, want.asset_leg_pct]
    ]
  },
  touch_probability: (x, want) => [["p", probabilityTouch(x.S, x.B, x.sigma_T), want]],
  liq_price_binance_isolated: (x, want) => [[
    "price",
    liquidationPrice({
      side: x.side,
      entry: x.entry,
      quantity: x.qty,
      wallet: x.wallet,
      maintenanceRate: x.mmr,
      maintenanceAmount: x.cum
    }),
    want
  ]],
  iv_constant_maturity: (
    x,
    want
  ) => [["iv", ivAtMaturity({ days: [x.d1, x.d2], ivs: [x.iv1, x.iv2] }, x.target), want]],
  funding_apr_pct: (x, want) => [["rate", 100 * fundingAnnualised(x.rate_8h), want]]
}

describe("published cases", () => {
  for (const { name, quantity, inputs, expected, tolerance, source } of cases) {
    it(`${name}: ${source}`, () => {
      const evaluate = quantities[quantity]
      if (evaluate === undefined) throw new Error(`no adapter for the quantity ${quantity}`)
      const pairs = evaluate(inputs, expected)
      expect(pairs.length).toBeGreaterThan(0)
      const beyond = pairs.filter(([, got, wanted]) =>
        !(typeof got === "number" && typeof wanted === "number" && Math.abs(got - wanted) <= tolerance)
      )
      expect(beyond).toEqual([])
    })
  }
})
