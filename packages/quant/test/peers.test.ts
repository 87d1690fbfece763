/**
 * Differential tests against trading-signals and black-scholes, which have different conventions.
 *
 * - An EMA (and so MACD) of trading-signals starts with the first price, and an ATR counts bar 0 as high - low.
 * - The ROC of trading-signals is a fraction, and the RSI is 100 for a series without losses, even without gains.
 * - black-scholes has no dividend, and its normal distribution is wrong beyond about 7 standard deviations.
 */
import {
  atr,
  blackScholes,
  bollinger,
  drawBelow,
  ema,
  macd,
  momentum,
  normalCdf,
  roc,
  rsi,
  seededRandom,
  sma,
  wilder
} from "@tapeline/quant"
import { createRequire } from "node:module"
import { ATR, BollingerBands, EMA, MACD, MOM, ROC, RSI, SMA, WSMA } from "trading-signals"
import { describe, expect, it } from "vitest"
import { expectClose, expectNear } from "./expectClose.ts"
import { scaleRuns, seed } from "./propertyTesting.ts"
import { eachColumn, randomBars } from "./randomBars.ts"

const require = createRequire(import.meta.url)
const peer: {
  readonly blackScholes: (s: number, k: number, t: number, v: number, r: number, type: string) => number
  readonly stdNormCDF: (x: number) => number
} = require("black-scholes")

const value = (x: number | null | undefined): number => x ?? NaN

describe("comparison with trading-signals", () => {
  it("agrees for every shared indicator on random series", () => {
    const random = seededRandom(seed + 1)
    for (let run = 0; run < scaleRuns(3000); run++) {
      const length = 200 + drawBelow(200, random)
      const bars = randomBars(random, length)
      const top = Math.max(...bars.high)
      const { high: h, low: l, close: c } = eachColumn(bars, (x) => x.map((price) => price / top))
      const n = 2 + drawBelow(5, random)

      const seriesOf = (indicator: { update(x: number, replace: boolean): number | null }): number[] =>
        c.map((price) => value(indicator.update(price, false)))
      expectClose("sma", sma(c, n), seriesOf(new SMA(n)), 1e-12)
      expectClose("wilder", wilder(c, n), seriesOf(new WSMA(n)), 1e-12)
      const moved = c.findIndex((price) => price !== c[0])
      expectClose("rsi", rsi(c, n), seriesOf(new RSI(n)), 1e-7, Math.max(n, moved))
      expectClose("roc", roc(c, n), seriesOf(new ROC(n)).map((x) => 100 * x), 1e-10, n)
      expectClose("momentum", momentum(c, n), seriesOf(new MOM(n)), 1e-13, n)
      expectClose("ema", ema(c, n), seriesOf(new EMA(n)), 1e-9, 120)

      const bands = new BollingerBands(n, 2)
      const theirBands = c.map((price) => bands.update(price, false))
      const ownBands = bollinger(c, n, 2)
      expectClose("bollinger.upper", ownBands.upper, theirBands.map((b) => value(b?.upper)), 1e-10)
      expectClose("bollinger.lower", ownBands.lower, theirBands.map((b) => value(b?.lower)), 1e-10)

      const referenceMacd = new MACD(new EMA(n), new EMA(n + 3), new EMA(3))
      const theirMacd = c.map((price) => referenceMacd.update(price, false))
      const { line, signal } = macd(c, n, n + 3, 3)
      expectClose("macd.line", line, theirMacd.map((m) => value(m?.macd)), 1e-9, 150)
      expectClose("macd.signal", signal, theirMacd.map((m) => value(m?.signal)), 1e-9, 150)

      const range = new ATR(n)
      const theirAtr = c.map((price, i) => value(range.update({ high: h[i]!, low: l[i]!, close: price }, false)))
      expectClose("atr", atr(h, l, c, n), theirAtr, 1e-9, 170)
    }
    expect(scaleRuns(3000)).toBeGreaterThan(0)
  }, 120_000)
})

describe("comparison with black-scholes", () => {
  it("agrees for prices for which its series converges", () => {
    const random = seededRandom(seed + 2)
    let compared = 0
    for (let run = 0; run < scaleRuns(20000); run++) {
      const spot = 10 ** (random() * 5)
      const strike = spot * Math.exp((random() - 0.5) * 1.5)
      const years = 0.01 + random() * 3
      const sigma = 0.05 + random() * 1.5
      const rate = (random() - 0.3) * 0.15
      const v = sigma * Math.sqrt(years)
      const d1 = (Math.log(spot / strike) + rate * years) / v + v / 2
      if (Math.abs(d1) > 5 || Math.abs(d1 - v) > 5) continue
      compared++
      for (const type of ["call", "put"] as const) {
        const ownPrice = blackScholes({ spot, strike, years, rate, sigma, type }).price
        expectNear(type, ownPrice / spot, peer.blackScholes(spot, strike, years, sigma, rate, type) / spot, 1e-12)
      }
    }
    expect(compared).toBeGreaterThan(scaleRuns(20000) / 3)
  })

  it("agrees for the normal distribution within 5 deviations", () => {
    const random = seededRandom(seed + 3)
    for (let run = 0; run < scaleRuns(20000); run++) {
      const x = (random() - 0.5) * 10
      expectNear("N", normalCdf(x), peer.stdNormCDF(x), 1e-13)
    }
    expect(peer.stdNormCDF(0)).toBe(0.5)
  })
})
