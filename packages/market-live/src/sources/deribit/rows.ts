/** What Deribit's payloads have in common. */
import { Schema, SchemaTransformation } from "effect"

/** What may be null, or not there at all. */
export const lackable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The answer of JSON-RPC. */
export const answerOf = <S extends Schema.Top>(result: S) => Schema.Struct({ result })

/** Whether an instrument is one of those whose names begin so. */
export const isNamedLike = (prefix: string, name: string): boolean => name.startsWith(`${prefix}-`)

/** All but what has the name of another coin's instrument: what has none at all must not pass for that. */
const isOf = (prefix: string) => (row: unknown): boolean =>
  typeof row !== "object" || row === null || !("instrument_name" in row) ||
  typeof row.instrument_name !== "string" || isNamedLike(prefix, row.instrument_name) ||
  !/^[A-Z0-9]{1,20}(_[A-Z]{1,20})?-[\w-]{1,100}$/u.test(row.instrument_name)

/**
 * The rows of one coin. Those of other coins that are listed with it are left out unread: whatever they are, they are
 * none of its data, and there are many.
 */
export const rowsOf = <S extends Schema.Top>(prefix: string, row: S) =>
  Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      Schema.Array(row),
      SchemaTransformation.transform({
        // What is left is decoded by the schema of the row.
        decode: (rows) => rows.filter(isOf(prefix)) as ReadonlyArray<S["Encoded"]>,
        encode: (rows): ReadonlyArray<unknown> => rows
      })
    )
  )

/** What a product of decimals is: the last digits that binary fractions leave are nobody's price. */
export const tidy = (x: number): number => Number(x.toPrecision(12))
