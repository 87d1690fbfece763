import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { Series, Stepped } from "./series.ts"

/** On-chain (DEX) trades of one coin counted in one bucket `[time, time + stepMs)`. */
export interface DexActivity {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
  readonly trades: number
}

/**
 * Whether all trades of a coin that are known are counted, or those of its largest pools alone: then its sums are lower
 * bounds.
 */
export type DexCoverage = "whole" | "largest_pools"

export interface DexSeries extends Series<DexActivity> {
  readonly coverage: DexCoverage
}

/**
 * What is traded on decentralised exchanges, as stored; what `CoinPrices` says of all stored market data holds here.
 */
export class OnchainFlows extends Context.Service<OnchainFlows, {
  /** DEX trades by bucket, empty buckets included; the last one may still run. */
  readonly dexActivity: (query: { readonly coin: string } & Stepped) => MarketRead<DexSeries>
}>()("@tapeline/core/market/OnchainFlows") {}
