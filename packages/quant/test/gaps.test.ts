/**
 * Tests that a null in a plain array is rejected and never read as 0. The type forbids nulls, but JSON can contain
 * them.
 */
import * as quant from "@tapeline/quant"
import { expect, it } from "vitest"

type Values = ReadonlyArray<number>

const flat = Array.from({ length: 60 }, (_, i) => 100 + (i % 7))
const up = flat.map((x) => x + 1)
const down = flat.map((x) => x - 1)
const times = flat.map((_, i) => i * 60)

/** For each function, a call in which one series is `x` and the other series have no gaps. */
const uses: Readonly<Record<string, (x: Values) => unknown>> = {
  sma: (x) => quant.sma(x, 5),
  ema: (x) => quant.ema(x, 5),
  wilder: (x) => quant.wilder(x, 5),
  bollinger: (x) => quant.bollinger(x, 5),
  rsi: (x) => quant.rsi(x, 5),
  macd: (x) => quant.macd(x, 3, 6, 3),
  momentum: (x) => quant.momentum(x, 5),
  roc: (x) => quant.roc(x, 5),
  rollingMax: (x) => quant.rollingMax(x, 5),
  rollingMin: (x) => quant.rollingMin(x, 5),
  zScores: (x) => quant.zScores(x, 5),
  "atr high": (x) => quant.atr(x, down, flat, 5),
  "atr low": (x) => quant.atr(up, x, flat, 5),
  "atr close": (x) => quant.atr(up, down, x, 5),
  trueRange: (x) => quant.trueRange(up, down, x),
  adx: (x) => quant.adx(up, down, x, 5),
  stochastic: (x) => quant.stochastic(up, down, x, 5),
  rangePosition: (x) => quant.rangePosition(up, down, x, 5),
  "vwap price": (x) => quant.vwap(up, down, x, flat),
  "vwap volume": (x) => quant.vwap(up, down, flat, x),
  volumeProfile: (x) => quant.volumeProfile(up, down, x),
  swings: (x) => quant.swings(up, x, 2),
  divergences: (x) => quant.divergences(up, down, x, 2),
  logReturns: (x) => quant.logReturns(x),
  correlation: (x) => quant.correlation(x, up),
  realisedVolatility: (x) => quant.realisedVolatility(x, 365),
  parkinson: (x) => quant.parkinson(up, x, 365),
  volatilityError: (x) => quant.volatilityError(x),
  volatilityCone: (x) => quant.volatilityCone(x, [5], 365),
  quantile: (x) => quant.quantile(x, 0.5),
  zScore: (x) => quant.zScore(1, x),
  fundingZ: (x) => quant.fundingZ(1, x),
  sharpe: (x) => quant.sharpe(x, 365),
  sortino: (x) => quant.sortino(x, 365),
  maxDrawdown: (x) => quant.maxDrawdown(x),
  cagr: (x) => quant.cagr(x, 365),
  profitFactor: (x) => quant.profitFactor(x),
  winRate: (x) => quant.winRate(x),
  valueAtRisk: (x) => quant.valueAtRisk(x),
  expectancy: (x) => quant.expectancy(x),
  meanSentiment: (x) => quant.meanSentiment(x),
  "meanSentiment weights": (x) => quant.meanSentiment(flat, x),
  putCallRatio: (x) => quant.putCallRatio(x, flat),
  "maxPain calls": (x) => quant.maxPain({ strikes: times.map((t) => t + 1), callOi: x, putOi: flat }),
  "maxPain puts": (x) => quant.maxPain({ strikes: times.map((t) => t + 1), callOi: flat, putOi: x }),
  "painByStrike calls": (x) => quant.painByStrike({ strikes: times.map((t) => t + 1), callOi: x, putOi: flat }),
  ivRank: (x) => quant.ivRank(1, x),
  ivPercentile: (x) => quant.ivPercentile(1, x),
  ivAtMaturity: (x) => quant.ivAtMaturity({ days: times.map((t) => t + 1), ivs: x }, 90),
  fundingPerBar: (x) => quant.fundingPerBar(times, times, x),
  "backtest close": (x) => quant.backtest({ open: flat, high: up, low: down, close: x }, { enter: flat }),
  "backtest enter": (x) => quant.backtest({ open: flat, high: up, low: down, close: flat }, { enter: x }),
  "backtest funding": (x) =>
    quant.backtest({ open: flat, high: up, low: down, close: flat }, { enter: flat }, { funding: x }),
  equityReturns: (x) => quant.equityReturns(x)
}

it.each(Object.keys(uses))("%s rejects a null", (name) => {
  const use = uses[name]!
  use(flat)
  for (const at of [0, 30, 59]) {
    const valuesWithGap: Array<number> = [...flat]
    valuesWithGap[at] = JSON.parse("null")
    expect(() => use(valuesWithGap), `null at ${at}`).toThrow(RangeError)
    expect(() => use(valuesWithGap), `null at ${at}`).toThrow(new RegExp(`^${name.split(" ")[0]}: `))
    expect(() => use(valuesWithGap), `null at ${at}`).toThrow(new RegExp(`(null|\\b${at}\\b)`))
  }
})
