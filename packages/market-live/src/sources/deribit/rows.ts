/** Common parts of Deribit's payloads. */
import { Schema, SchemaTransformation } from "effect"
import { fewOf } from "../../source/index.ts"

/** A field that may be null or absent. */
export const lackable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A response of JSON-RPC. */
export const answerOf = <S extends Schema.Top>(result: S) => Schema.Struct({ result })

/** Whether an instrument's name has this prefix. */
export const isNamedLike = (prefix: string, name: string): boolean => name.startsWith(`${prefix}-`)

/** Whether a row may be of the prefix's coin: it is, unless it has the valid name of another coin's instrument. */
const isOf = (prefix: string) => (row: unknown): boolean =>
  typeof row !== "object" || row === null || !("instrument_name" in row) ||
  typeof row.instrument_name !== "string" || isNamedLike(prefix, row.instrument_name) ||
  !/^[A-Z0-9]{1,20}(_[A-Z]{1,20})?-[\w-]{1,100}$/u.test(row.instrument_name)

/**
 * Decodes the rows of one coin. Rows of other coins in the same list are skipped unread, because there are many.
 * Unreadable rows of the coin are left out, as in other lists (`fewOf`).
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

/** Rounds a product of decimals, to remove the error of binary fractions. */
export const tidy = (x: number): number => Number(x.toPrecision(12))
