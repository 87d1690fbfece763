/** What Deribit's payloads have in common. */
import { Schema, SchemaTransformation } from "effect"
import { fewOf } from "../../source/index.ts"

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
 * none of its data, and there are many. Odd rows of the coin are left out, as in other lists (`fewOf`).
 */
export const rowsOf = <A, I>(prefix: string, row: Schema.Codec<A, I>) =>
  Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      fewOf(row),
      SchemaTransformation.transform<ReadonlyArray<unknown>, ReadonlyArray<unknown>>({
        decode: (rows) => rows.filter(isOf(prefix)),
        encode: (rows) => rows
      })
    )
  )

/** What a product of decimals is: the last digits that binary fractions leave are nobody's price. */
export const tidy = (x: number): number => Number(x.toPrecision(12))
