import type { SourceUnavailable, TotalMarket } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { Answer, Patience } from "../../source/index.ts"

/** A coin as a list of coins knows it. Two that have one ticker are two rows. */
export interface ListedCoin {
  /** The list's own name for it, which no other coin has. */
  readonly id: string
  /** Its ticker, in upper case. */
  readonly coin: string
  readonly name: string
  /** By market capitalisation, 1 is the largest; null of one without. */
  readonly rank: number | null
  /** USD, for telling coins of one ticker apart; null where it has none. */
  readonly price: number | null
  readonly circulatingSupply: number | null
  /** Null where there is no limit, or nobody tells. */
  readonly maxSupply: number | null
}

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

/** Who lists coins with their supplies, and counts the whole market. */
export interface CoinList {
  /** Every coin that has one of these tickers, of those that it lists. */
  readonly coins: (tickers: ReadonlyArray<string>) => Read<ReadonlyArray<ListedCoin>>
  readonly total: Read<TotalMarket>
}

export interface CoinListOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
}
