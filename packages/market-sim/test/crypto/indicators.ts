import { assert, layer as withLayer } from "@effect/vitest"
import {
  getIndicators,
  getKimchiPremium,
  getKrMarket,
  getPrice,
  getPriceHistory,
  getProbability,
  getVolatility
} from "@tapeline/core/specifications"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"

const computeMean = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0) / values.length

/**
 * Computes an exponential moving average with the weight `share`. The average starts with the mean of the first `from`
 * values.
 */
const computeMovingAverage = (values: ReadonlyArray<number>, from: number, share: number): ReadonlyArray<number> => {
  const series = [computeMean(values.slice(0, from))]
  for (const value of values.slice(from)) series.push(series.at(-1)! + share * (value - series.at(-1)!))
  return series
}
const computeEma = (values: ReadonlyArray<number>, n: number) => computeMovingAverage(values, n, 2 / (n + 1))
const computeWilderAverage = (values: ReadonlyArray<number>, n = 14): number =>
  computeMovingAverage(values, n, 1 / n).at(-1)!

interface Bar {
  readonly high: number
  readonly low: number
  readonly close: number
}

const mapConsecutiveBars = <A>(bars: ReadonlyArray<Bar>, compute: (bar: Bar, before: Bar) => A): ReadonlyArray<A> =>
  bars.slice(1).map((bar, i) => compute(bar, bars[i]!))

const computeIndicators = (bars: ReadonlyArray<Bar>) => {
  const closes = bars.map(({ close }) => close)
  const gain = computeWilderAverage(mapConsecutiveBars(bars, (bar, before) => Math.max(0, bar.close - before.close)))
  const loss = computeWilderAverage(mapConsecutiveBars(bars, (bar, before) => Math.max(0, before.close - bar.close)))
  const trueRanges = mapConsecutiveBars(
    bars,
    (bar, before) => Math.max(bar.high, before.close) - Math.min(bar.low, before.close)
  )
  const moves = mapConsecutiveBars(bars, (bar, before) => ({ up: bar.high - before.high, down: before.low - bar.low }))
  const dis = [
    moves.map(({ down, up }) => up > down && up > 0 ? up : 0),
    moves.map(({ down, up }) => down > up && down > 0 ? down : 0)
  ].map((values) => computeMovingAverage(values, 14, 1 / 14))
  const ranges = computeMovingAverage(trueRanges, 14, 1 / 14)
  const index = ranges.map((_, i) => 100 * Math.abs(dis[0]![i]! - dis[1]![i]!) / (dis[0]![i]! + dis[1]![i]!))
  const [fast, slow] = [computeEma(closes, 12), computeEma(closes, 26)]
  const line = slow.map((value, i) => fast[i + 14]! - value)
  const stochasticAt = (count: number, end: number): number => {
    const window = bars.slice(end - count, end)
    const low = Math.min(...window.map((bar) => bar.low))
    return 100 * (window.at(-1)!.close - low) / (Math.max(...window.map((bar) => bar.high)) - low)
  }
  const k = [0, 1, 2].map((back) =>
    computeMean([0, 1, 2].map((offset) => stochasticAt(14, bars.length - back - offset)))
  )
  const last20 = closes.slice(-20)
  const sd = Math.sqrt(computeMean(last20.map((value) => (value - computeMean(last20)) ** 2)))
  return {
    rsi: 100 * gain / (gain + loss),
    line: line.at(-1)!,
    signal: computeEma(line, 9).at(-1)!,
    momentum: 100 * (closes.at(-1)! / closes.at(-11)! - 1),
    range_position: stochasticAt(20, bars.length),
    averages: [20, 50, 200].map((n) => computeEma(closes, n).at(-1)!),
    bands: [computeMean(last20) + 2 * sd, computeMean(last20), computeMean(last20) - 2 * sd],
    adx: computeWilderAverage(index),
    directions: dis.map((values) => 100 * values.at(-1)! / ranges.at(-1)!),
    atr: ranges.at(-1)!,
    stochastic: [k[0]!, computeMean(k)]
  }
}

/** Computes the standard normal distribution as a sum of its density at the middles of thin slices. */
const computeNormalCdf = (z: number): number => {
  const [from, slices] = [-10, 20_000]
  const width = (z - from) / slices
  let sum = 0
  for (let i = 0; i < slices; i++) sum += Math.exp(-((from + (i + 0.5) * width) ** 2) / 2)
  return sum * width / Math.sqrt(2 * Math.PI)
}

/** Returns the newest candles with at least `count` closed candles, because one call returns at most 1,000. */
const readCandles = Effect.fnUntraced(function*(coin: string, tf: "15m" | "4h" | "1d", count: number) {
  const { candles: newer } = yield* callTool(getPriceHistory, { coin, tf, bars: 1_000 })
  const at = newer[0]!.time
  const { candles: older } = yield* callTool(getPriceHistory, { coin, tf, bars: count - newer.length + 10, at })
  return [...older.filter(({ time }) => time < at), ...newer]
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("values recomputed from returned data", (it) => {
  it.effect("indicators equal those computed from the candles of get_price_history", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const tf of ["15m", "4h", "1d"] as const) {
        const result = yield* callTool(getIndicators, { coin: "ETH", tf })
        const candles = yield* readCandles("ETH", tf, result.n)
        const bars = candles.filter(({ closed }) => closed !== false)
        const recomputed = computeIndicators(bars.slice(-result.n))
        const near = (actual: number | null, expected: number, within: number, name: string) =>
          assert.closeTo(actual!, expected, within, `${tf} ${name}`)
        const { bollinger, macd, stochastic } = result
        const price = result.close * 1e-6
        near(result.rsi, recomputed.rsi, 0.001, "rsi")
        near(macd.line, recomputed.line, price, "line")
        near(macd.signal, recomputed.signal, price, "signal")
        near(result.momentum_pct, recomputed.momentum, 0.0001, "momentum")
        near(result.range_position_pct, recomputed.range_position, 0.0001, "range position")
        Object.values(result.ema).forEach((average, i) => near(average, recomputed.averages[i]!, price, "ema"))
        const bands = [bollinger.upper, bollinger.middle, bollinger.lower]
        bands.forEach((band, i) => near(band, recomputed.bands[i]!, price, "band"))
        near(result.adx, recomputed.adx, 0.001, "adx")
        near(result.plus_di, recomputed.directions[0]!, 0.001, "+DI")
        near(result.minus_di, recomputed.directions[1]!, 0.001, "-DI")
        near(result.atr, recomputed.atr, price, "atr")
        near(stochastic.k, recomputed.stochastic[0]!, 0.0001, "%K")
        near(stochastic.d, recomputed.stochastic[1]!, 0.0001, "%D")
      }
    }))

  it.effect("the Korean premium and its two parts follow from the prices and the rate that other tools return", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { usd_krw } = yield* callTool(getKrMarket, {})
      for (const coin of ["BTC", "ETH", "XRP"]) {
        const { rows: [row] } = yield* callTool(getKimchiPremium, { coin })
        const { price } = yield* callTool(getPrice, { coin })
        assert.deepStrictEqual([row!.usd_price, row!.fx], [price, usd_krw!.rate])
        const total = row!.krw_price / (price * row!.fx)
        assert.closeTo(row!.premium_pct!, 100 * (total - 1), 0.0001)
        // The premium has two parts: the premium of USDT over the dollar in won, and the premium of the coin over USDT.
        const currency = row!.usdt_krw / row!.fx
        const [inDollars, inCoins] = [Math.log(currency), Math.log(total / currency)]
        assert.closeTo(row!.currency_leg_pct! / row!.premium_pct!, inDollars / (inDollars + inCoins), 0.002)
        assert.closeTo(row!.currency_leg_pct! + row!.asset_leg_pct!, row!.premium_pct!, 1e-9)
      }
    }))

  it.effect("a one-day probability follows from the formula and the volatility of get_volatility", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { price } = yield* callTool(getPrice, { coin: "BTC" })
      const { realised_30d_pct } = yield* callTool(getVolatility, { coin: "BTC" })
      const deviation = realised_30d_pct! / 100 / Math.sqrt(365)
      for (const share of [0.97, 1.01, 1.03]) {
        const probability = yield* callTool(getProbability, { coin: "BTC", horizon_min: 1440, target: price * share })
        assert.strictEqual(probability.sigma_annualised_pct, realised_30d_pct)
        const chanceBeyondTarget = computeNormalCdf(-Math.abs(Math.log(share)) / deviation)
        assert.closeTo(probability.p_above!, share > 1 ? chanceBeyondTarget : 1 - chanceBeyondTarget, 1e-5)
        assert.closeTo(probability.p_touch!, 2 * chanceBeyondTarget, 2e-5)
      }
    }))
})
