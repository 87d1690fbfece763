/**
 * Government yield curves from three factors: level, slope and curvature. Source: Nelson & Siegel, "Parsimonious
 * modeling of yield curves", Journal of Business 60, 1987. The short rate is the mean of the policy rate and the rate
 * that the central bank will prefer 90 days later.
 */
import { dayMs, hourMs, lastInterbankTime, type YieldCurve, type YieldPoint } from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { getDesiredRate, getInflation } from "./economy.ts"
import { getPolicyRate } from "./policy.ts"

type Country = YieldCurve["country"]

const tenors: Readonly<Record<Country, ReadonlyArray<readonly [tenor: string, years: number]>>> = {
  US: [
    ["1M", 1 / 12],
    ["3M", 0.25],
    ["6M", 0.5],
    ["1Y", 1],
    ["2Y", 2],
    ["3Y", 3],
    ["5Y", 5],
    ["7Y", 7],
    ["10Y", 10],
    ["20Y", 20],
    ["30Y", 30]
  ],
  KR: [["3M", 0.25], ["6M", 0.5], ["1Y", 1], ["2Y", 2], ["3Y", 3], ["5Y", 5], ["10Y", 10], ["20Y", 20], ["30Y", 30]]
}

/** The usual long-term yield, in percent. */
const usualLevel: Readonly<Record<Country, number>> = { US: 4.75, KR: 3.1 }
const usualInflation: Readonly<Record<Country, number>> = { US: 2.7, KR: 2.1 }
/** The decay rate of the slope and the curvature of a yield curve, per year of maturity. */
// The effect of the curvature is largest at a maturity of about three years.
const decayPerYear = 0.55
const expectationHorizonMs = 90 * dayMs

/** Returns the yields of a country's tenors at a time, in percent. */
const computeCurve = (world: World, country: Country, time: number): ReadonlyArray<number> => {
  const rateTime = lastInterbankTime(time)
  const key = world.getKey(`yields ${country}`)
  const noise = (stream: number, longestMs: number): number =>
    stationaryNoise(deriveKey(key, stream, 0), rateTime, hourMs, longestMs)
  const shortRate = 0.5 * getPolicyRate(world, country, rateTime) +
    0.5 * getDesiredRate(world, country, rateTime + expectationHorizonMs)
  const level = usualLevel[country] + 0.35 * (getInflation(world, country, rateTime) - usualInflation[country])
    + 0.4 * noise(1, 256 * dayMs) + 0.2 * noise(2, 2_048 * dayMs)
  const curvature = -0.6 + 0.7 * noise(3, 256 * dayMs)
  return tenors[country].map(([, years]) => {
    const x = decayPerYear * years
    const slope = -Math.expm1(-x) / x
    return Math.round(1000 * Math.max(0.01, level + (shortRate - level) * slope + curvature * (slope - Math.exp(-x)))) /
      1000
  })
}

export const getYieldCurve = (world: World, country: Country, time: number): YieldCurve => {
  const rateTime = lastInterbankTime(time)
  const current = computeCurve(world, country, rateTime)
  const monthAgo = computeCurve(world, country, rateTime - 30 * dayMs)
  return {
    country,
    time: rateTime,
    points: tenors[country].map(([tenor, years], i): YieldPoint => ({
      tenor,
      years,
      yieldPct: current[i]!,
      yield1mAgoPct: monthAgo[i]!
    }))
  }
}
