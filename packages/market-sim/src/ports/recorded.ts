import type { Watermark, WatermarkRead } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { type World, worldVersion } from "../world.ts"
import { simulatedReading } from "./source.ts"

/**
 * Creates a function that reads the watermarks of coins. The watermark of a listed coin is the current time, because
 * simulated data is always complete.
 */
export const makeRecordedRead =
  (world: World, isIncluded: (market: CoinMarket) => boolean = () => true): WatermarkRead => (coins) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const record: Watermark = {
        contiguousUntil: now,
        revision: `world ${worldVersion} ${JSON.stringify(world.seed)}`
      }
      const knownCoins = coins.filter((coin) => {
        const market = world.coin(coin)
        return market !== undefined && market.listedAt <= now && isIncluded(market)
      })
      return simulatedReading(new Map(knownCoins.map((coin) => [coin, record])), now)
    })
