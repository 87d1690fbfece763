/**
 * Coins as tokens on chains: supply and holders, DEX pools, transfers between labelled wallets, stablecoins.
 */

export interface Token {
  /** Ticker, and the coin of that ticker when it is the real one; impostors have null. */
  readonly symbol: string
  readonly coin: string | null
  readonly name: string
  readonly chain: string
  /** Contract address; `native` for a chain's own coin. */
  readonly address: string
  /** Liquidity over all pools that are known, USD; null where none of them tells it. */
  readonly liquidityUsd: number | null
}

/**
 * Which token is meant: a coin's own, or the contract at an address. An address is of one chain, since others may have
 * it for something else; its case is kept, but `0x` addresses have none.
 */
export type TokenQuery = { readonly coin: string } | { readonly address: string; readonly chain: string }

export interface TokenDetails extends Token {
  readonly time: number
  readonly priceUsd: number
  /** Null where no source tells them. */
  readonly circulatingSupply: number | null
  readonly totalSupply: number | null
  /** Most units that can ever exist; null when there is no limit, or nobody tells it. */
  readonly maxSupply: number | null
  /**
   * Fully diluted value: price times the most units that can exist (total supply without a limit); null where neither
   * is known.
   */
  readonly fdvUsd: number | null
  /** Pools that its source told of and that could not be read, where there are any: `liquidityUsd` is then null. */
  readonly unreadPools?: number
  /** Null where no source counts them. */
  readonly holders: number | null
  /** Share of the supply held by the ten largest wallets that are not exchanges; null where no source tells. */
  readonly top10SharePct: number | null
  /** Warnings: `mintable`, `freezable`, `concentrated`, `low_liquidity`, `young`, `impostor`. */
  readonly flags: ReadonlyArray<string>
  /** Warnings of which no source tells whether they hold: that one is missing from `flags` says nothing of it then. */
  readonly unchecked: ReadonlyArray<string>
}

export interface DexPool {
  readonly dex: string
  readonly chain: string
  readonly address: string
  /** `ETH/USDC`. */
  readonly pair: string
  /** Each null where no source tells it. */
  readonly liquidityUsd: number | null
  readonly volume24hUsd: number | null
  readonly feePct: number | null
}

/** What a transfer means by its ends; `exchange_in` is towards an exchange (coins that may be sold). */
export type TransferKind = "exchange_in" | "exchange_out" | "wallet" | "exchange_internal" | "mint" | "burn"

export interface WhaleTransfer {
  readonly time: number
  readonly coin: string
  readonly hash: string
  /** Label of the wallet, or its shortened address when nobody labelled it. */
  readonly from: string
  readonly to: string
  readonly amount: number
  readonly usd: number
  readonly kind: TransferKind
}

export interface StablecoinFlow {
  readonly coin: string
  /** Supply now, and its change over the days asked for, USD at par. */
  readonly supplyUsd: number
  readonly changeUsd: number
  /** Net transfers towards exchanges over the same days; null where no source labels wallets. */
  readonly exchangeNetUsd: number | null
}
