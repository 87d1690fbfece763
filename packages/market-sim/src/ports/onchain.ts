/** Implements core's `OnchainFlows`: trades on decentralised exchanges. */
import { OnchainFlows } from "@tapeline/core/market"
import { Effect } from "effect"
import { dexActivity } from "../token/dexTrades.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { simulated } from "./source.ts"
import { buckets } from "./steps.ts"

/** The `OnchainFlows` port of a world. */
export const onchainFlows = (world: World): OnchainFlows["Service"] =>
  OnchainFlows.of({
    dexActivity: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* listedCoin(world, query.coin)
      const key = world.key(`onchain ${query.coin}`)
      const from = Math.max(query.from, market.listedAt)
      const points = buckets({ ...query, from }, now).map((time) => dexActivity(market, time, query.stepMs, now, key))
      yield* orNoData(points, query.coin, "on-chain trades")
      return simulated({ points, gaps: [], coverage: "whole" }, Math.min(now, points.at(-1)!.time + query.stepMs))
    })
  })
