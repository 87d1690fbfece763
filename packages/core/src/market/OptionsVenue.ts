import { Context } from "effect"
import type { OptionChain, OptionTrade } from "./option.ts"
import type { MarketRead } from "./reading.ts"

/**
 * The venue where options on coins are listed (BTC, ETH, SOL): external calls, which may fail with
 * `SourceUnavailable`. A known coin without options fails with `NoData`, an unknown one with `UnknownSymbol`.
 * Prices are in USD, quantities in coins. The present is Effect's Clock. Every expiry has its forward
 * and its discount.
 */
export class OptionsVenue extends Context.Service<OptionsVenue, {
  /** Coins that have options here. */
  readonly underlyings: MarketRead<ReadonlyArray<string>>

  /**
   * Every quoted option now, at one and the same instant: all unexpired expiries, or the one named (`expiryAt`, else
   * `NoData`).
   */
  readonly chain: (query: { readonly coin: string; readonly expiryAt?: number }) => MarketRead<OptionChain>

  /** Trades with `from <= time < to`, oldest first, at most `limit` (default 1,000); the newest ones are kept. */
  readonly trades: (query: {
    readonly coin: string
    readonly from: number
    readonly to: number
    readonly limit?: number
  }) => MarketRead<ReadonlyArray<OptionTrade>>
}>()("@tapeline/core/market/OptionsVenue") {}
