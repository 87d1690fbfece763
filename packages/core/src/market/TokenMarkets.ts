import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { DexPool, StablecoinFlow, Token, TokenDetails, TokenQuery, WhaleTransfer } from "./token.ts"

/**
 * On-chain sources: tokens, pools and transfers. External calls, which may fail with `SourceUnavailable`;
 * a coin or address that nobody knows fails with `UnknownSymbol`. The present is Effect's Clock.
 */
export class TokenMarkets extends Context.Service<TokenMarkets, {
  /**
   * The real token of a coin, or the one that a contract address is of. A coin that has none that is known, and a
   * token that nobody prices, fail with `NoData`.
   */
  readonly token: (query: TokenQuery) => MarketRead<TokenDetails>

  /**
   * Tokens whose name, ticker or address matches, most liquid first, at most `limit`; impostors included. Those of
   * unknown liquidity come last. Empty when none matches.
   */
  readonly search: (query: { readonly text: string; readonly limit: number }) => MarketRead<ReadonlyArray<Token>>

  /** Pools of a coin, most liquid first, those of unknown liquidity last, at most `limit`. */
  readonly pools: (query: { readonly coin: string; readonly limit: number }) => MarketRead<ReadonlyArray<DexPool>>

  /**
   * Transfers of at least `minUsd` (100,000 unless told, and never less) with `from <= time < to`, oldest first, at
   * most 1,000; the newest ones are kept.
   */
  readonly whaleTransfers: (query: {
    readonly coin: string
    readonly minUsd?: number
    readonly from: number
    readonly to: number
  }) => MarketRead<ReadonlyArray<WhaleTransfer>>

  /** Each stablecoin's supply and its change over the last `days` days, largest first. */
  readonly stablecoinFlows: (days: number) => MarketRead<ReadonlyArray<StablecoinFlow>>
}>()("@tapeline/core/market/TokenMarkets") {}
