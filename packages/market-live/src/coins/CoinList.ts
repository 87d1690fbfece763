import type { SourceUnavailable, TotalMarket } from "@tapeline/core/market"
import { type Effect, Schema, SchemaTransformation } from "effect"
import { Name, type RetryPolicy, type SourceResponse } from "../source/index.ts"

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

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/** A source of coins with their supplies, and of the whole market's capitalisation. */
export interface CoinList {
  /** Every listed coin that has one of these tickers. */
  readonly coins: (tickers: ReadonlyArray<string>) => Read<ReadonlyArray<ListedCoin>>
  readonly total: Read<TotalMarket>
}

export interface CoinListOptions {
  readonly baseUrl?: string
  readonly retryPolicy?: Partial<RetryPolicy>
}

const isName = Schema.is(Name)

const isOtherCoin = (row: unknown, tickers: ReadonlySet<string>): boolean => {
  if (typeof row !== "object" || row === null) return false
  const ticker: unknown = Reflect.get(row, "symbol")
  return isName(ticker) && !tickers.has(ticker.toUpperCase())
}

/**
 * Decodes the rows of some coins from a list of thousands. An invalid row of another coin is ignored. A row whose
 * ticker cannot be read may be of any coin, so the list is malformed.
 */
export const rowsOfTickers = <A, I>(row: Schema.Codec<A, I>, tickers: ReadonlyArray<string>) => {
  const wanted = new Set(tickers)
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.Array(row),
      SchemaTransformation.transform<ReadonlyArray<I>, ReadonlyArray<unknown>>({
        // The rows are decoded next.
        decode: (rows) => rows.filter((one) => !isOtherCoin(one, wanted)) as ReadonlyArray<I>,
        encode: (rows) => rows
      })
    )
  )
}

/** Converts 0, which means "none", to null. */
export const nullIfZero = (value: number | null): number | null => value === null || value <= 0 ? null : value
