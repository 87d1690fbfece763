import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import type { BinanceContract } from "../../sources/binance/contracts.ts"
import type { BinancePerpetuals } from "../../sources/binance/perpetuals.ts"
import { type ListedCoins, remembering } from "../listed.ts"
import type { TrackedCoin } from "../trackedCoins.ts"

type Futures = BinancePerpetuals["Service"]

/** The perpetual contracts, by coin. */
export type Perpetuals = Effect.Effect<ReadonlyMap<string, BinanceContract>, SourceUnavailable>

/** The perpetuals of tracked coins that trade. */
export const listedPerpetuals = (
  futures: Futures,
  coins: ReadonlyArray<TrackedCoin>
): Effect.Effect<ListedCoins<BinanceContract>, SourceUnavailable> => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(remembering(futures.contracts("USDT")), ({ rows, unread }) => ({
    unread,
    all: new Map(
      rows.filter(({ coin, kind, trades }) => kind === "perpetual" && trades && tracked.has(coin))
        .map((contract) => [contract.coin, contract])
    )
  }))
}

export const perpetualsOf = (futures: Futures, coins: ReadonlyArray<TrackedCoin>): Perpetuals =>
  Effect.map(listedPerpetuals(futures, coins), ({ all }) => all)
