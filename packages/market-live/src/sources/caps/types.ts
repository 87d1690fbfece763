import type { SourceUnavailable, TotalMarket } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { Answer, Patience } from "../../source/index.ts"

/** A row of a list of coins. Two coins with the same ticker are two rows. */
export interface ListedCoin {
  /** The list's unique id of the coin. */
  readonly id: string
  /** The ticker, in upper case. */
  readonly coin: string
  readonly name: string
  /** The rank by market capitalisation, 1 is the largest; null without a rank. */
  readonly rank: number | null
  /** In USD, to distinguish coins with the same ticker; null without a price. */
  readonly price: number | null
  readonly circulatingSupply: number | null
  /** Null if there is no limit, or it is not reported. */
  readonly maxSupply: number | null
}

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

/** A source of coins with their supplies, and of the whole market's capitalisation. */
export interface CoinList {
  /** Every listed coin that has one of these tickers. */
  readonly coins: (tickers: ReadonlyArray<string>) => Read<ReadonlyArray<ListedCoin>>
  readonly total: Read<TotalMarket>
}

export interface CoinListOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}
