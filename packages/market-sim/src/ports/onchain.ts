/**
 * The part of `MarketStore` about trades on decentralised exchanges.
 */
import type { MarketStore } from "@tapeline/core/market"
import { Effect } from "effect"
import { onchainActivity } from "../token/dexTrades.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { buckets } from "./steps.ts"

export const onchainPart = (world: World) => {
  const activity: MarketStore["Service"]["onchainActivity"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* listedCoin(world, query.coin)
    const key = world.key(`onchain ${query.coin}`)
    const from = Math.max(query.from, market.listedAt)
    const series = buckets({ ...query, from }, now).map((time) => onchainActivity(market, time, query.stepMs, now, key))
    return yield* orNoData(series, query.coin, "on-chain trades")
  })
  return { onchainActivity: activity }
}
