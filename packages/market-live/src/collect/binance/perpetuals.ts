import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import type { BinanceContract } from "../../sources/binance/contracts.ts"
import type { BinancePerpetuals } from "../../sources/binance/perpetuals.ts"
import type { TrackedCoin } from "../trackedCoins.ts"

type Futures = BinancePerpetuals["Service"]

/** A coin's perpetual, by coin. */
export type Perpetuals = Effect.Effect<ReadonlyMap<string, BinanceContract>, SourceUnavailable>

/** The perpetuals of tracked coins that trade. */
export const perpetualsOf = (futures: Futures, coins: ReadonlyArray<TrackedCoin>): Perpetuals => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(
    futures.contracts("USDT"),
    ({ value }) =>
      new Map(
        value.filter(({ coin, kind, trades }) => kind === "perpetual" && trades && tracked.has(coin))
          .map((contract) => [contract.coin, contract])
      )
  )
}
