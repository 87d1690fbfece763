import { OnchainFlows } from "@tapeline/core/market"
import { Effect } from "effect"
import { getDexActivity } from "../token/dexTrades.ts"
import type { World } from "../world.ts"
import { findListedCoin, requireData } from "./lookup.ts"
import { getBuckets } from "./queryTimes.ts"
import { simulatedReading } from "./source.ts"

export const makeOnchainFlows = (world: World): OnchainFlows["Service"] =>
  OnchainFlows.of({
    dexActivity: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* findListedCoin(world, query.coin)
      const key = world.getKey(`onchain ${query.coin}`)
      const from = Math.max(query.from, market.listedAt)
      const points = getBuckets({ ...query, from }, now).map((time) =>
        getDexActivity(market, time, query.stepMs, now, key)
      )
      yield* requireData(points, query.coin, "on-chain trades")
      return simulatedReading(
        { points, gaps: [], coverage: "whole" },
        Math.min(now, points.at(-1)!.time + query.stepMs)
      )
    })
  })
