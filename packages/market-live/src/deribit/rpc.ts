import { Option, Schema, SchemaTransformation } from "effect"
import { lenientShortList, type ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({ error: Schema.Struct({ code: Schema.Int, message: Schema.String }) })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

/** Too many requests, and too many concurrent ones. */
const rateLimitCodes = new Set([10_028, 10_066])

/** Codes for "retry", a settlement, a full queue, maintenance, server errors, and unavailable or slow services. */
const temporaryFailureCodes = new Set([10_040, 10_041, 10_047, 11_051, 11_094, 13_028, 13_888, -32_000, -32_603])

/** Recognises the `error` of JSON-RPC, which may have status 400 or 200. */
export const readDeribitRejection: ReadBodyRejection = (body) => {
  const code = Option.getOrUndefined(decodeErrorBody(body))?.error.code
  if (code === undefined) return undefined
  if (rateLimitCodes.has(code)) return { failure: "rate_limited", reason: `it limits our address (code ${code})` }
  if (temporaryFailureCodes.has(code)) return { failure: "unreachable", reason: `it failed (code ${code})` }
  return { failure: "malformed", reason: `it does not take the request (code ${code})` }
}

/** Common parts of Deribit's payloads. */

/** A field that may be null or absent. */
export const optionalNullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A response of JSON-RPC. */
export const rpcResponse = <S extends Schema.Top>(result: S) => Schema.Struct({ result })

/** Whether an instrument's name has this prefix. */
export const hasInstrumentPrefix = (prefix: string, name: string): boolean => name.startsWith(`${prefix}-`)

/** Whether a row may be of the prefix's coin: it is, unless it has the valid name of another coin's instrument. */
const mayBeOfCoin = (prefix: string) => (row: unknown): boolean =>
  typeof row !== "object" || row === null || !("instrument_name" in row) ||
  typeof row.instrument_name !== "string" || hasInstrumentPrefix(prefix, row.instrument_name) ||
  !/^[A-Z0-9]{1,20}(_[A-Z]{1,20})?-[\w-]{1,100}$/u.test(row.instrument_name)

/**
 * Decodes the rows of one coin. Rows of other coins in the same list are skipped unread, because there are many.
 * Unreadable rows of the coin are left out, as in other lists (`lenientShortList`).
 */
export const rowsOfCoin = <A, I>(prefix: string, row: Schema.Codec<A, I>) =>
  Schema.Array(Schema.Unknown).pipe(
    Schema.decodeTo(
      lenientShortList(row),
      SchemaTransformation.transform<ReadonlyArray<unknown>, ReadonlyArray<unknown>>({
        decode: (rows) => rows.filter(mayBeOfCoin(prefix)),
        encode: (rows) => rows
      })
    )
  )

/** Rounds a product of decimals, to remove the error of binary fractions. */
export const roundDecimals = (x: number): number => Number(x.toPrecision(12))
