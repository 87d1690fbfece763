/** A token on a chain. A value that no source reports is null. */

export interface Token {
  /** The ticker of the token; `coin` is null if the token only imitates the coin of the ticker. */
  readonly symbol: string
  readonly coin: string | null
  readonly name: string
  readonly chain: string
  /** The contract address; `native` for a chain's own coin. */
  readonly address: string
  readonly liquidityUsd: number | null
}

/**
 * Selects the token of a coin, or the token at a contract address on a chain. Only `0x` addresses ignore upper and
 * lower case.
 */
export type TokenQuery = { readonly coin: string } | { readonly address: string; readonly chain: string }

export interface TokenDetails extends Token {
  readonly time: number
  readonly priceUsd: number
  readonly circulatingSupply: number | null
  readonly totalSupply: number | null
  /** The maximum number of units that can ever exist; null if there is no limit, or if no source reports the limit. */
  readonly maxSupply: number | null
  /**
   * The price times the maximum supply. Without a maximum supply, the total supply is used; null if both are unknown.
   */
  readonly fdvUsd: number | null
  /**
   * The number of listed pools that could not be read; absent if all pools were read. If `unreadPools` is present,
   * `liquidityUsd` is null.
   */
  readonly unreadPools?: number
  readonly holders: number | null
  /** The percentage of the supply in the ten largest wallets that are not exchanges. */
  readonly top10SharePct: number | null
  /**
   * Warnings about the token, which can be `mintable`, `freezable`, `concentrated`, `low_liquidity`, `young` or
   * `impostor`.
   */
  readonly flags: ReadonlyArray<string>
  /**
   * The names of warnings that no source can check for this token. A warning in `unchecked` may apply even if `flags`
   * does not contain it.
   */
  readonly unchecked: ReadonlyArray<string>
}

export interface DexPool {
  readonly dex: string
  readonly chain: string
  readonly address: string
  /** The traded pair, such as `ETH/USDC`. */
  readonly pair: string
  readonly liquidityUsd: number | null
  readonly volume24hUsd: number | null
  readonly feePct: number | null
}

/**
 * The kind of a transfer, determined by its sender and recipient. `exchange_in` means that coins were sent to an
 * exchange.
 */
export type TransferKind = "exchange_in" | "exchange_out" | "wallet" | "exchange_internal" | "mint" | "burn"

export interface WhaleTransfer {
  readonly time: number
  readonly coin: string
  readonly hash: string
  /** The label of the sender's wallet, or the shortened address if the wallet has no label. */
  readonly from: string
  readonly to: string
  readonly amount: number
  readonly usd: number
  readonly kind: TransferKind
}

export interface StablecoinFlow {
  readonly coin: string
  /** The current supply in USD, at one dollar per coin. */
  readonly supplyUsd: number
  readonly changeUsd: number
  /** The net transfers to exchanges over the requested days; null if no source labels wallets. */
  readonly exchangeNetUsd: number | null
}
