import { dayMs, hourMs } from "@tapeline/core/market"
import { sviButterfly, sviCalendar } from "@tapeline/quant/options"
import { realisedVolatility } from "@tapeline/quant/performance"
import { expect, test } from "vitest"
import { makeSmile } from "../../src/options/surface.ts"
import { coinsWithOptions } from "../../src/options/underlying.ts"
import { makeWorld } from "../../src/world.ts"
import { computeCorrelation, computeMean } from "../support/statistics.ts"
import { makeOptions } from "./support.ts"

const now = Date.parse("2026-09-30T12:00:00Z")
const seed = 20_260_901
const world = makeWorld(seed)

test.each(coinsWithOptions)("%s: no surface of a year has butterfly or calendar arbitrage", (coin) => {
  const { underlying } = makeOptions(world, coin)
  // The steps visit every hour of the day.
  const step = 11
  let surfaces = 0
  for (let hour = 0; hour < 365 * 24; hour += step) {
    const time = now - hour * hourMs
    const surface = underlying.surface(time)
    const slices = underlying.expiries(time).map((expiry) => makeSmile(surface, expiry.expiryAt))
    for (const svi of slices) {
      const { minG, arbitrageFree } = sviButterfly(svi)
      expect(arbitrageFree, `${coin} ${new Date(time).toISOString()} g ${minG}`).toBe(true)
    }
    const { minGap, arbitrageFree } = sviCalendar(slices)
    expect(arbitrageFree, `${coin} ${new Date(time).toISOString()} gap ${minGap}`).toBe(true)
    surfaces++
  }
  expect(surfaces).toBeGreaterThanOrEqual(Math.floor(365 * 24 / step))
})

test.each(coinsWithOptions)("%s: implied volatility follows realised volatility and is higher on average", (coin) => {
  const { book } = makeOptions(world, coin)
  const market = world.coin(coin)!
  const history = book.ivHistory(now, 730, 30)
  const realised = history.map(({ time }) => {
    const prices = Array.from({ length: 31 }, (_, i) => market.price(time - (30 - i) * dayMs))
    return 100 * realisedVolatility(prices, 365)!
  })
  const implied = history.map((point) => point.ivPct)
  // Over all seeds and coins, the correlation of implied and realised volatility is 0.74 on average, and ranges from
  // 0.54 to 0.86.
  expect(computeCorrelation(implied, realised)).toBeGreaterThan(0.5)
  const ratio = computeMean(implied) / computeMean(realised)
  expect(ratio).toBeGreaterThan(1)
  expect(ratio).toBeLessThan(1.35)
})

test.each(coinsWithOptions)("%s: the history of implied volatility reverts to its mean and spans a range", (coin) => {
  const { book } = makeOptions(world, coin)
  const iv = book.ivHistory(now, 1_095, 30).map((point) => Math.log(point.ivPct))
  const level = computeMean(iv)
  const change = iv.slice(30).map((value, i) => value - iv[i]!)
  // From far above or below its mean, volatility returns towards the mean within a month.
  expect(computeCorrelation(change, iv.slice(0, -30).map((value) => value - level))).toBeLessThan(-0.4)
  expect(Math.max(...iv) - Math.min(...iv)).toBeGreaterThan(Math.log(1.6))
  // Volatility changes little from one day to the next.
  expect(computeCorrelation(iv.slice(1), iv.slice(0, -1))).toBeGreaterThan(0.9)
})

test("the skew correlates with recent returns", () => {
  const { underlying } = makeOptions(world, "BTC")
  const market = world.coin("BTC")!
  const times = Array.from({ length: 365 }, (_, i) => now - i * dayMs)
  const skew = times.map((time) => underlying.surface(time).rho)
  const week = times.map((time) => market.logPrice(time) - market.logPrice(time - 7 * dayMs))
  expect(computeCorrelation(skew, week)).toBeGreaterThan(0.5)
  expect(computeMean(skew)).toBeLessThan(0)
})

test("a surface does not jump at midnight", () => {
  const { underlying } = makeOptions(world, "ETH")
  for (let day = 1; day <= 60; day++) {
    const midnight = Math.floor(now / dayMs) * dayMs - day * dayMs
    const before = Math.sqrt(underlying.surface(midnight - 1_000).spotVariance)
    const after = Math.sqrt(underlying.surface(midnight).spotVariance)
    expect(Math.abs(after / before - 1)).toBeLessThan(0.01)
  }
})
