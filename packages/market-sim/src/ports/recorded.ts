import type { Recorded, RecordedRead } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { type World, worldVersion } from "../world.ts"
import { simulated } from "./source.ts"

/**
 * Returns a record for each listed coin. Series are complete up to the present. The revision combines the seed and the
 * version of the simulation.
 */
export const recordedOf = (world: World, has: (market: CoinMarket) => boolean = () => true): RecordedRead => (coins) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const record: Recorded = { contiguousUntil: now, revision: `world ${worldVersion} ${JSON.stringify(world.seed)}` }
    const known = coins.filter((coin) => {
      const market = world.coin(coin)
      return market !== undefined && market.listedAt <= now && has(market)
    })
    return simulated(new Map(known.map((coin) => [coin, record])), now)
  })
