import { Schema, SchemaTransformation } from "effect"
import { Name } from "../../source/index.ts"

const isName = Schema.is(Name)

const isForeign = (row: unknown, tickers: ReadonlySet<string>): boolean => {
  if (typeof row !== "object" || row === null) return false
  const ticker: unknown = Reflect.get(row, "symbol")
  return isName(ticker) && !tickers.has(ticker.toUpperCase())
}

/**
 * Decodes the rows of some coins from a list of thousands. An invalid row of another coin is ignored. A row whose
 * ticker cannot be read may be of any coin, so the list is malformed.
 */
export const rowsOf = <A, I>(row: Schema.Codec<A, I>, tickers: ReadonlyArray<string>) => {
  const asked = new Set(tickers)
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.Array(row),
      SchemaTransformation.transform<ReadonlyArray<I>, ReadonlyArray<unknown>>({
        // The rows are decoded next.
        decode: (rows) => rows.filter((one) => !isForeign(one, asked)) as ReadonlyArray<I>,
        encode: (rows) => rows
      })
    )
  )
}

/** Converts 0, which means "none", to null. */
export const orNone = (value: number | null): number | null => value === null || value <= 0 ? null : value
