/**
 * Coins as tokens on chains: supply and holders, DEX pools, transfers between labelled wallets, stablecoins.
 */

export interface Token {
  /** The ticker, and the coin of that ticker if this is the real token. Impostors have a null `coin`. */
  readonly symbol: string
  readonly coin: string | null
  readonly name: string
  readonly chain: string
  /** The contract address; `native` for a chain's own coin. */
  readonly address: string
  /** The liquidity over all known pools, in USD. Null if no pool reports it. */
  readonly liquidityUsd: number | null
}

/**
 * The token of a coin, or the contract at an address. An address needs its chain, because another chain may have a
 * different contract at it. The case of an address is kept, but `0x` addresses ignore case.
 */
export type TokenQuery = { readonly coin: string } | { readonly address: string; readonly chain: string }

export interface TokenDetails extends Token {
  readonly time: number
  readonly priceUsd: number
  /** Null if no source reports it. */
  readonly circulatingSupply: number | null
  readonly totalSupply: number | null
  /** The maximum number of units that can ever exist. Null if there is no limit, or no source reports it. */
  readonly maxSupply: number | null
  /**
   * The fully diluted value: price times the maximum supply (the total supply if there is no limit). Null if neither is
   * known.
   */
  readonly fdvUsd: number | null
  /**
   * The number of pools that the source lists but that could not be read, if there are any. `liquidityUsd` is then
   * null.
   */
  readonly unreadPools?: number
  /** Null if no source counts the holders. */
  readonly holders: number | null
  /** The percentage of the supply in the ten largest wallets that are not exchanges. Null if no source reports it. */
  readonly top10SharePct: number | null
  /** Warnings: `mintable`, `freezable`, `concentrated`, `low_liquidity`, `young`, `impostor`. */
  readonly flags: ReadonlyArray<string>
  /** Warnings that no source can check. Their absence from `flags` has no meaning. */
  readonly unchecked: ReadonlyArray<string>
}

export interface DexPool {
  readonly dex: string
  readonly chain: string
  readonly address: string
  /** `ETH/USDC`. */
  readonly pair: string
  /** Null if no source reports it. */
  readonly liquidityUsd: number | null
  readonly volume24hUsd: number | null
  readonly feePct: number | null
}

/** The kind of a transfer, by its two ends. `exchange_in` is a transfer to an exchange (coins that may be sold). */
export type TransferKind = "exchange_in" | "exchange_out" | "wallet" | "exchange_internal" | "mint" | "burn"

export interface WhaleTransfer {
  readonly time: number
  readonly coin: string
  readonly hash: string
  /** The label of the wallet, or its shortened address if it has no label. */
  readonly from: string
  readonly to: string
  readonly amount: number
  readonly usd: number
  readonly kind: TransferKind
}

export interface StablecoinFlow {
  readonly coin: string
  /** The current supply, and its change over the requested days, in USD at par. */
  readonly supplyUsd: number
  readonly changeUsd: number
  /** Net transfers to exchanges over the same days. Null if no source labels wallets. */
  readonly exchangeNetUsd: number | null
}
