/** Rows of large lists that are not as expected, and are left out: none of them is a reason to have no other. */
import { Effect, Metric, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"

const leftOut = Metric.counter("tapeline_source_rows_left_out", {
  description: "Rows of lists that a source sent and that could not be read: the others were used without them",
  incremental: true
})

export const countLeftOut = (source: string, rows: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(leftOut, { source }), rows)

/** What rows are called, by whichever of these they have. */
const names = ["symbol", "instId", "instrument_name", "contractSymbol", "market", "pairAddress", "id"]

/** As far as it is harmless: it is what somebody sent. Its place, where it has none. */
const nameOf = (row: unknown, place: number, keys: ReadonlyArray<string | number>): string => {
  if (typeof row !== "object" || row === null) return String(place)
  const name: unknown = keys.map((key): unknown => Reflect.get(row, key)).find((one) => typeof one === "string")
  return typeof name === "string" && name !== "" ? name.slice(0, 64).replaceAll(/[^\w./:-]/gu, "?") : String(place)
}

let noted: Array<string> | undefined

/** What reads a payload at once, with what it left out of it. */
export const notingLeftOut = <A>(read: () => A): readonly [value: A, leftOut: ReadonlyArray<string>] => {
  const [outer, own] = [noted, new Array<string>()]
  noted = own
  try {
    return [read(), own]
  } finally {
    noted = outer
  }
}

/** Of ten rows one may be odd: where more are, the source has changed, or this is no such list. */
const leastRows = 10

const isATenth = (odd: number, all: number): boolean => odd * leastRows <= all

const isOneOrATenth = (odd: number, all: number): boolean => isATenth(odd, all) || (odd === 1 && all > 1)

const leavingOut = <A, I>(
  row: Schema.Codec<A, I>,
  mayBeOdd: (odd: number, all: number) => boolean,
  keys: ReadonlyArray<string | number> = names
) => {
  const decode = Schema.decodeUnknownResult(row)
  // Its rows were read by the schema of the row.
  const read = Schema.declare((all): all is ReadonlyArray<A> => Array.isArray(all))
  return Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      read,
      SchemaTransformation.transformEffect<ReadonlyArray<A>, ReadonlyArray<unknown>>({
        decode: (rows) => {
          const told: Array<A> = []
          const odd: Array<number> = []
          let first: SchemaIssue.Issue | undefined
          for (const [place, one] of rows.entries()) {
            const decoded = decode(one)
            if (Result.isSuccess(decoded)) {
              told.push(decoded.success)
              continue
            }
            odd.push(place)
            first ??= new SchemaIssue.Pointer([place], decoded.failure.issue)
          }
          if (first !== undefined && !mayBeOdd(odd.length, rows.length)) return Effect.fail(first)
          for (const place of odd) noted?.push(nameOf(rows[place], place, keys))
          return Effect.succeed(told)
        },
        encode: (rows) => Effect.succeed(rows)
      })
    )
  )
}

/**
 * A large list of things that have nothing to do with one another: a row that is not as expected is left out, and
 * told of (`notingLeftOut`). It is malformed where more than a tenth of its rows are odd, and so where few are.
 * Rows that are arrays have their name in `column`.
 */
export const listOf = <A, I>(row: Schema.Codec<A, I>, column?: number) =>
  leavingOut(row, isATenth, column === undefined ? names : [column])

/**
 * The same of a list that may be short, and of which nobody takes a row that is missing for one that is not there: of
 * few rows one may be odd as well, beside one that is not.
 */
export const fewOf = <A, I>(row: Schema.Codec<A, I>) => leavingOut(row, isOneOrATenth)
