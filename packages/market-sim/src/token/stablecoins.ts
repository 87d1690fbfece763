/**
 * The supply of stablecoins, which grows over years, varies with the market, and changes with each mint or burn of a
 * treasury.
 */
import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { momentum } from "../coin/momentum.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, uniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { minedBitcoins } from "./bitcoin.ts"

const from2026 = Date.UTC(2026, 0, 1) / dayMs
const growthPerYear = 0.09
/** Operations are rounded to this number of units. */
const roundUnits = 1_000_000

/**
 * The supply at a midnight, in units. The supply grows after the market has risen. Only prices up to the midnight
 * before count, so no operation of a day depends on how the day ends.
 */
const midnightSupply = (world: World, market: CoinMarket, day: number): number => {
  const { coin, supply } = market.spec
  const time = day * dayMs
  const level = growthPerYear * (day - from2026) / 365
    + 0.02 * stationaryNoise(world.key(`supply ${coin}`), time, dayMs, 256 * dayMs)
    + 0.012 * momentum(world.coin("BTC")!, time - dayMs, 30 * dayMs, 1.5)
  return Math.round(supply * Math.exp(level) / roundUnits) * roundUnits
}

/** An operation of a treasury. Positive amounts are minted, negative amounts are burned. */
interface TreasuryOperation {
  readonly time: number
  readonly amount: number
}

/** The operations of a treasury on one day, in order. */
export const operationsOf = (world: World, market: CoinMarket, day: number): ReadonlyArray<TreasuryOperation> => {
  const change = midnightSupply(world, market, day + 1) - midnightSupply(world, market, day)
  if (change === 0) return []
  const key = derive(world.key(`treasury ${market.spec.coin}`), day, 0)
  const first = Math.round(change * (0.35 + 0.4 * uniform(key, 0)) / roundUnits) * roundUnits
  const at = (slot: number): number => day * dayMs + Math.floor(dayMs * uniform(key, slot))
  const amounts = first === 0 || first === change ? [change] : [first, change - first]
  const times = amounts.map((_, i) => at(1 + i)).sort((a, b) => a - b)
  return amounts.map((amount, i) => ({ time: times[i]!, amount }))
}

/**
 * The circulating supply of a coin at a time. For a stablecoin it is the amount minted and not burned, for BTC the
 * amount mined. For other coins it is constant.
 */
export const supplyAt = (world: World, market: CoinMarket, time: number): number => {
  if (market.spec.coin === "BTC") return minedBitcoins(time)
  if (!market.spec.isStablecoin) return market.spec.supply
  const day = Math.floor(time / dayMs)
  let supply = midnightSupply(world, market, day)
  for (const operation of operationsOf(world, market, day)) if (operation.time <= time) supply += operation.amount
  return supply
}
