import { Context } from "effect"
import type { MarketRead } from "./reading.ts"
import type { DexPool, StablecoinFlow, Token, TokenDetails, TokenQuery, WhaleTransfer } from "./token.ts"

/**
 * Reads tokens, pools and transfers from on-chain sources by external calls. Every call may fail with
 * `SourceUnavailable`. An unknown coin or address fails with `UnknownSymbol`. The present is the time of Effect's
 * Clock.
 */
export class TokenMarkets extends Context.Service<TokenMarkets, {
  /**
   * Returns the genuine token of a coin, or the token at a contract address. Fails with `NoData` for a coin without a
   * known token, and for a token without a price.
   */
  readonly token: (query: TokenQuery) => MarketRead<TokenDetails>

  /**
   * Returns at most `limit` tokens whose name, ticker or address matches `text`, most liquid first. Tokens that imitate
   * a coin are also returned. Tokens of unknown liquidity come last.
   */
  readonly search: (query: { readonly text: string; readonly limit: number }) => MarketRead<ReadonlyArray<Token>>

  /** Returns at most `limit` liquidity pools of a coin, most liquid first, and pools of unknown liquidity last. */
  readonly pools: (query: { readonly coin: string; readonly limit: number }) => MarketRead<ReadonlyArray<DexPool>>

  /**
   * Returns the newest 1,000 transfers of at least `minUsd`, oldest first. The default and the minimum of `minUsd` are
   * 100,000.
   */
  readonly whaleTransfers: (query: {
    readonly coin: string
    readonly minUsd?: number
    readonly from: number
    readonly to: number
  }) => MarketRead<ReadonlyArray<WhaleTransfer>>

  /** Returns each stablecoin's supply and its change over the last `days` days, largest supply first. */
  readonly stablecoinFlows: (days: number) => MarketRead<ReadonlyArray<StablecoinFlow>>
}>()("@tapeline/core/market/TokenMarkets") {}
