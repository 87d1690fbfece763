import { Schema, SchemaTransformation } from "effect"
import { Name } from "../../source/index.ts"

const isName = Schema.is(Name)

const isForeign = (row: unknown, tickers: ReadonlySet<string>): boolean => {
  if (typeof row !== "object" || row === null) return false
  const ticker: unknown = Reflect.get(row, "symbol")
  return isName(ticker) && !tickers.has(ticker.toUpperCase())
}

/**
 * Rows of some coins out of a list of thousands: what is odd about a coin that nobody asks for is no reason to have
 * none of the others. A row whose ticker cannot be read may be of any coin, and is malformed.
 */
export const rowsOf = <A, I>(row: Schema.Codec<A, I>, tickers: ReadonlyArray<string>) => {
  const asked = new Set(tickers)
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.Array(row),
      SchemaTransformation.transform<ReadonlyArray<I>, ReadonlyArray<unknown>>({
        // What they are is judged next.
        decode: (rows) => rows.filter((one) => !isForeign(one, asked)) as ReadonlyArray<I>,
        encode: (rows) => rows
      })
    )
  )
}

/** What stands as 0 where there is none. */
export const orNone = (value: number | null): number | null => value === null || value <= 0 ? null : value
