import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { Series, SteppedInterval } from "./series.ts"

/** The on-chain (DEX) trades of one coin in one bucket `[time, time + stepMs)`. */
export interface DexActivity {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
  readonly trades: number
}

/**
 * The coverage of a coin's DEX trades: all trades, or only trades in the largest pools. If the coverage is
 * `largest_pools`, sums are lower than the true sums.
 */
export type DexCoverage = "whole" | "largest_pools"

export interface DexSeries extends Series<DexActivity> {
  readonly coverage: DexCoverage
}

/** Stored trades on decentralised exchanges. `CoinPrices` documents the rules of stored market data. */
export class OnchainFlows extends Context.Service<OnchainFlows, {
  /** Returns DEX trades by bucket of `stepMs`. The result includes empty buckets and the running bucket. */
  readonly dexActivity: (query: { readonly coin: string } & SteppedInterval) => MarketRead<DexSeries>
}>()("@tapeline/core/market/OnchainFlows") {}
