import { Context } from "effect"
import type { OptionChain, OptionTrade } from "./option.ts"
import type { MarketRead } from "./reading.ts"

/**
 * Reads options on coins (BTC, ETH, SOL) from a venue by external calls. Every call may fail with `SourceUnavailable`.
 * A known coin without options fails with `NoData`, an unknown coin with `UnknownSymbol`. Prices are in USD, quantities
 * in coins. The present is the time of Effect's Clock. Every expiry has a forward price and a discount factor.
 */
export class OptionsVenue extends Context.Service<OptionsVenue, {
  readonly underlyings: MarketRead<ReadonlyArray<string>>

  /**
   * Returns all quoted options of a coin at one time. `expiryAt` selects one expiry, and an unknown expiry fails with
   * `NoData`.
   */
  readonly chain: (query: { readonly coin: string; readonly expiryAt?: number }) => MarketRead<OptionChain>

  /** Returns the newest option trades with `from <= time < to`, at most `limit` (default 1,000), oldest first. */
  readonly trades: (query: {
    readonly coin: string
    readonly from: number
    readonly to: number
    readonly limit?: number
  }) => MarketRead<ReadonlyArray<OptionTrade>>
}>()("@tapeline/core/market/OptionsVenue") {}
