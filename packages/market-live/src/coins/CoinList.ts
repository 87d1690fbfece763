import type { SourceUnavailable, TotalMarket } from "@tapeline/core/market"
import { type Effect, Schema, SchemaTransformation } from "effect"
import { Name, type RetryPolicy, type SourceResponse } from "../source/index.ts"

/** A coin in a source's list of coins, which may contain several coins with one symbol. */
export interface ListedCoin {
  readonly id: string
  readonly coin: string
  readonly name: string
  /** The rank by market capitalisation, where 1 is the largest coin, or null if the coin has no rank. */
  readonly rank: number | null
  /** The price in USD, which distinguishes coins with equal symbols, or null if unknown. */
  readonly price: number | null
  readonly circulatingSupply: number | null
  /** The maximum supply, or null if the supply is unlimited or not reported. */
  readonly maxSupply: number | null
}

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

/** A source of coins with their supplies, and of the market capitalisation of all coins. */
export interface CoinList {
  /** Fetches every listed coin that has one of the symbols. */
  readonly coins: (tickers: ReadonlyArray<string>) => Read<ReadonlyArray<ListedCoin>>
  readonly total: Read<TotalMarket>
}

export interface CoinListOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

const isName = Schema.is(Name)

const isOtherCoin = (row: unknown, tickers: ReadonlySet<string>): boolean => {
  if (typeof row !== "object" || row === null) return false
  const ticker: unknown = Reflect.get(row, "symbol")
  return isName(ticker) && !tickers.has(ticker.toUpperCase())
}

/**
 * Decodes the rows of wanted coins. Invalid rows of other coins are ignored. A row with an unreadable symbol causes an
 * error, because the row may describe a wanted coin.
 */
export const rowsOfTickers = <A, I>(row: Schema.Codec<A, I>, tickers: ReadonlyArray<string>) => {
  const wanted = new Set(tickers)
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.Array(row),
      SchemaTransformation.transform<ReadonlyArray<I>, ReadonlyArray<unknown>>({
        // The type cast is safe, because the schema `row` decodes each remaining row afterwards.
        decode: (rows) => rows.filter((one) => !isOtherCoin(one, wanted)) as ReadonlyArray<I>,
        encode: (rows) => rows
      })
    )
  )
}

/** Converts 0, which means "no value", to null. */
export const nullIfZero = (value: number | null): number | null => value === null || value <= 0 ? null : value
