/** Decodes lists and skips unreadable rows, because one unreadable row is no reason to reject the others. */
import { Effect, Metric, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"

const skippedRows = Metric.counter("tapeline_source_rows_left_out", {
  description: "Unreadable rows in lists of the source, which were skipped",
  incremental: true
})

export const countSkippedRows = (source: string, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(skippedRows, { source }), rows)

const nameKeys = ["symbol", "instId", "instrument_name", "contractSymbol", "market", "pairAddress", "id"]

/** Returns the name of a row without unusual characters, or its number if the row has no name. */
const rowName = (row: unknown, place: number, keys: ReadonlyArray<string | number>): string => {
  if (typeof row !== "object" || row === null) return String(place)
  const name: unknown = keys.map((key): unknown => Reflect.get(row, key)).find((one) => typeof one === "string")
  return typeof name === "string" && name !== "" ? name.slice(0, 64).replaceAll(/[^\w./:-]/gu, "?") : String(place)
}

let skipped: Array<string> | undefined

/** Runs a synchronous function, and returns its value with the names of the rows that were skipped. */
export const collectSkippedRows = <A>(read: () => A): readonly [value: A, leftOut: ReadonlyArray<string>] => {
  const [outer, own] = [skipped, new Array<string>()]
  skipped = own
  try {
    return [read(), own]
  } finally {
    skipped = outer
  }
}

/** The minimum number of rows per unreadable row in a valid list. */
const minRowsPerUnreadable = 10

const isAtMostATenth = (odd: number, all: number): boolean => odd * minRowsPerUnreadable <= all

const isAtMostOneOrATenth = (odd: number, all: number): boolean => isAtMostATenth(odd, all) || (odd === 1 && all > 1)

const lenientArray = <A, I>(
  row: Schema.Codec<A, I>,
  isAcceptable: (odd: number, all: number) => boolean,
  keys: ReadonlyArray<string | number> = nameKeys
) => {
  const decode = Schema.decodeUnknownResult(row)
  // Checks only for an array, because each row was already decoded with the row's schema.
  const read = Schema.declare((all): all is ReadonlyArray<A> => Array.isArray(all))
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      read,
      SchemaTransformation.transformEffect<ReadonlyArray<A>, ReadonlyArray<unknown>>({
        decode: (rows) => {
          const decodedRows: Array<A> = []
          const unreadable: Array<number> = []
          let first: SchemaIssue.Issue | undefined
          for (const [place, one] of rows.entries()) {
            const decoded = decode(one)
            if (Result.isSuccess(decoded)) {
              decodedRows.push(decoded.success)
              continue
            }
            unreadable.push(place)
            first ??= new SchemaIssue.Pointer([place], decoded.failure.issue)
          }
          if (first !== undefined && !isAcceptable(unreadable.length, rows.length)) return Effect.fail(first)
          for (const place of unreadable) skipped?.push(rowName(rows[place], place, keys))
          return Effect.succeed(decodedRows)
        },
        encode: (rows) => Effect.succeed(rows)
      })
    )
  )
}

/**
 * Decodes a large list of independent rows. Skips unreadable rows, up to a tenth of the list, and records the skipped
 * rows for `collectSkippedRows`. If each row is an array, `column` is the index of the row's name.
 */
export const lenientList = <A, I>(row: Schema.Codec<A, I>, column?: number) =>
  lenientArray(row, isAtMostATenth, column === undefined ? nameKeys : [column])

/**
 * Decodes like `lenientList`, but also skips one unreadable row in a short list. A caller must not treat a skipped row
 * as missing at the source.
 */
export const lenientShortList = <A, I>(row: Schema.Codec<A, I>) => lenientArray(row, isAtMostOneOrATenth)
