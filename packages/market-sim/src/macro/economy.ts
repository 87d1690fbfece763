/** The inflation, activity and policy of each country, from which published figures are derived. */
import { dayMs } from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal } from "../kernel/random.ts"
import type { World } from "../world.ts"

export type EconomicArea = "US" | "KR" | "EU" | "GB" | "JP" | "CN"

/** The usual inflation, policy rate and unemployment rate, in percent. */
const usualFigures: Readonly<
  Record<EconomicArea, { readonly inflation: number; readonly rate: number; readonly unemploymentRate: number }>
> = {
  US: { inflation: 2.7, rate: 3.6, unemploymentRate: 4.3 },
  KR: { inflation: 2.1, rate: 2.5, unemploymentRate: 2.8 },
  EU: { inflation: 2.1, rate: 2.0, unemploymentRate: 6.3 },
  GB: { inflation: 3.1, rate: 3.9, unemploymentRate: 4.8 },
  JP: { inflation: 2.4, rate: 0.75, unemploymentRate: 2.5 },
  CN: { inflation: 0.6, rate: 3.0, unemploymentRate: 5.1 }
}

const stream = { activity: 1, inflation: 2, policy: 3, jobs: 4 }

const getSlowNoise = (world: World, area: EconomicArea, streamIndex: number, time: number): number =>
  stationaryNoise(deriveKey(world.getKey(`economy ${area}`), streamIndex, 0), time, 128 * dayMs, 2_048 * dayMs)

/** Returns the economic activity relative to its trend: a standard normal value, positive in booms. */
export const getActivity = (world: World, area: EconomicArea, time: number): number =>
  getSlowNoise(world, area, stream.activity, time)

/**
 * Returns the annual inflation in percent. Inflation depends on the economic activity half a year earlier and on random
 * shocks.
 */
export const getInflation = (world: World, area: EconomicArea, time: number): number =>
  usualFigures[area].inflation + 0.55 * getSlowNoise(world, area, stream.inflation, time) +
  0.35 * getActivity(world, area, time - 180 * dayMs)

export const getUnemployment = (world: World, area: EconomicArea, time: number): number =>
  usualFigures[area].unemploymentRate - 0.35 * getActivity(world, area, time - 90 * dayMs) +
  0.12 * getSlowNoise(world, area, stream.jobs, time)

/** Returns the interest rate that a central bank prefers according to a Taylor rule, in percent. */
export const getDesiredRate = (world: World, area: EconomicArea, time: number): number =>
  Math.max(
    0,
    usualFigures[area].rate + 0.5 * (getInflation(world, area, time) - usualFigures[area].inflation) +
      0.25 * getActivity(world, area, time)
      + 0.45 *
        stationaryNoise(deriveKey(world.getKey(`economy ${area}`), stream.policy, 0), time, 256 * dayMs, 2_048 * dayMs)
  )

/** Draws a standard normal shock for one month or week of a figure. */
export const drawShock = (world: World, area: EconomicArea, name: string, index: number): number =>
  drawNormal(deriveKey(world.getKey(`figure ${area} ${name}`), index, 0), 0)
