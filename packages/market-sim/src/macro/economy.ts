/**
 * The economies behind the figures: slow, mean-reverting inflation, activity and policy, separately for each country.
 */
import { dayMs } from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, normal } from "../kernel/random.ts"
import type { World } from "../world.ts"

export type Area = "US" | "KR" | "EU" | "GB" | "JP" | "CN"

/** The usual inflation (percent per year), policy rate (percent) and unemployment (percent). */
const usual: Readonly<Record<Area, { readonly inflation: number; readonly rate: number; readonly jobless: number }>> = {
  US: { inflation: 2.7, rate: 3.6, jobless: 4.3 },
  KR: { inflation: 2.1, rate: 2.5, jobless: 2.8 },
  EU: { inflation: 2.1, rate: 2.0, jobless: 6.3 },
  GB: { inflation: 3.1, rate: 3.9, jobless: 4.8 },
  JP: { inflation: 2.4, rate: 0.75, jobless: 2.5 },
  CN: { inflation: 0.6, rate: 3.0, jobless: 5.1 }
}

const stream = { activity: 1, inflation: 2, policy: 3, jobs: 4 }

const slow = (world: World, area: Area, which: number, time: number): number =>
  stationaryNoise(derive(world.key(`economy ${area}`), which, 0), time, 128 * dayMs, 2_048 * dayMs)

/** Activity relative to its trend: standard normal, positive in booms. */
export const activity = (world: World, area: Area, time: number): number => slow(world, area, stream.activity, time)

/** The yearly inflation in percent: independent shocks, and the activity half a year before. */
export const inflation = (world: World, area: Area, time: number): number =>
  usual[area].inflation + 0.55 * slow(world, area, stream.inflation, time) +
  0.35 * activity(world, area, time - 180 * dayMs)

export const unemployment = (world: World, area: Area, time: number): number =>
  usual[area].jobless - 0.35 * activity(world, area, time - 90 * dayMs) + 0.12 * slow(world, area, stream.jobs, time)

/**
 * The rate that a central bank would prefer, in percent: a slowed Taylor rule of inflation, activity and independent
 * noise.
 */
export const desiredRate = (world: World, area: Area, time: number): number =>
  Math.max(
    0,
    usual[area].rate + 0.5 * (inflation(world, area, time) - usual[area].inflation) + 0.25 * activity(world, area, time)
      + 0.45 * stationaryNoise(derive(world.key(`economy ${area}`), stream.policy, 0), time, 256 * dayMs, 2_048 * dayMs)
  )

/** A standard normal number of a month or week of one figure: the part that no trend explains. */
export const shock = (world: World, area: Area, name: string, index: number): number =>
  normal(derive(world.key(`figure ${area} ${name}`), index, 0), 0)
