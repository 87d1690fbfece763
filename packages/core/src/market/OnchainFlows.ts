import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { Series, SteppedInterval } from "./series.ts"

/** On-chain (DEX) trades of one coin in one bucket `[time, time + stepMs)`. */
export interface DexActivity {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
  readonly trades: number
}

/**
 * `whole` if all known trades of a coin are counted. `largest_pools` if only those of its largest pools are counted:
 * then the sums are lower bounds.
 */
export type DexCoverage = "whole" | "largest_pools"

export interface DexSeries extends Series<DexActivity> {
  readonly coverage: DexCoverage
}

/** Stored trades on decentralised exchanges. The rules of `CoinPrices` for stored market data apply. */
export class OnchainFlows extends Context.Service<OnchainFlows, {
  /** Returns DEX trades by bucket, including empty buckets. The last bucket may still be running. */
  readonly dexActivity: (query: { readonly coin: string } & SteppedInterval) => MarketRead<DexSeries>
}>()("@tapeline/core/market/OnchainFlows") {}
