import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawUniform } from "../kernel/random.ts"
import type { World } from "../world.ts"

/**
 * The times of Bitcoin's halvings, and the number of coins at each halving. The times after 2024 assume one block per
 * ten minutes. Source: the block subsidy of 50 BTC, halved every 210,000 blocks (`GetBlockSubsidy` of Bitcoin Core).
 */
const halvings: ReadonlyArray<readonly [time: number, coins: number]> = [
  [Date.parse("2016-07-09T16:46:13Z"), 15_750_000],
  [Date.parse("2020-05-11T19:23:43Z"), 18_375_000],
  [Date.parse("2024-04-20T00:09:27Z"), 19_687_500],
  [Date.parse("2028-04-17T08:00:00Z"), 20_343_750],
  [Date.parse("2032-04-14T16:00:00Z"), 20_671_875]
]

/** Returns the whole bitcoins mined before `instant` (epoch ms), interpolated between the halvings of 2016 to 2032. */
export const getMinedBitcoins = (instant: number): number => {
  const time = Math.min(Math.max(instant, halvings[0]![0]), halvings.at(-1)![0])
  const next = halvings.findIndex(([halving]) => halving > time)
  const last = next < 0 ? halvings.length - 1 : next
  const [[from, coinsBefore], [to, coinsAfter]] = [halvings[last - 1]!, halvings[last]!]
  return Math.floor(coinsBefore + (coinsAfter - coinsBefore) * (time - from) / (to - from))
}

/** The day (2026-01-01) for which the supply in a coin's specification is valid. */

const dayOf2026 = Date.UTC(2026, 0, 1) / dayMs
/** The growth of the supply of stablecoins per year, as a fraction. */
const growthPerYear = 0.09
/** The number of units to which mints and burns are rounded. */
const operationUnit = 1_000_000

/** Returns the supply of a stablecoin at a midnight. The supply depends only on prices up to the previous midnight. */
const getMidnightSupply = (world: World, market: CoinMarket, day: number): number => {
  const { coin, supply } = market.spec
  const time = day * dayMs
  const level = growthPerYear * (day - dayOf2026) / 365
    + 0.02 * stationaryNoise(world.getKey(`supply ${coin}`), time, dayMs, 256 * dayMs)
    + 0.012 * computeMomentum(world.coin("BTC")!, time - dayMs, 30 * dayMs, 1.5)
  return Math.round(supply * Math.exp(level) / operationUnit) * operationUnit
}

interface TreasuryOperation {
  readonly time: number
  readonly amount: number
}

/** Returns the mints and burns of a stablecoin treasury on one day, in order. */
export const getOperations = (world: World, market: CoinMarket, day: number): ReadonlyArray<TreasuryOperation> => {
  const change = getMidnightSupply(world, market, day + 1) - getMidnightSupply(world, market, day)
  if (change === 0) return []
  const key = deriveKey(world.getKey(`treasury ${market.spec.coin}`), day, 0)
  const first = Math.round(change * (0.35 + 0.4 * drawUniform(key, 0)) / operationUnit) * operationUnit
  const drawTime = (slot: number): number => day * dayMs + Math.floor(dayMs * drawUniform(key, slot))
  const amounts = first === 0 || first === change ? [change] : [first, change - first]
  const times = amounts.map((_, i) => drawTime(1 + i)).sort((a, b) => a - b)
  return amounts.map((amount, i) => ({ time: times[i]!, amount }))
}

/** Returns the circulating supply of a coin at a time: minted and not burned, mined, or constant. */
export const getSupply = (world: World, market: CoinMarket, time: number): number => {
  if (market.spec.coin === "BTC") return getMinedBitcoins(time)
  if (!market.spec.isStablecoin) return market.spec.supply
  const day = Math.floor(time / dayMs)
  let supply = getMidnightSupply(world, market, day)
  for (const operation of getOperations(world, market, day)) if (operation.time <= time) supply += operation.amount
  return supply
}
