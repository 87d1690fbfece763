import { Option, Schema, SchemaTransformation } from "effect"
import { lenientShortList, type ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({ error: Schema.Struct({ code: Schema.Int, message: Schema.String }) })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

const rateLimitCodes = new Set([10_028, 10_066])

const temporaryFailureCodes = new Set([10_040, 10_041, 10_047, 11_051, 11_094, 13_028, 13_888, -32_000, -32_603])

/** Recognises the `error` of a JSON-RPC response, which may have HTTP status 400 or 200. */
export const readDeribitRejection: ReadBodyRejection = (body) => {
  const code = Option.getOrUndefined(decodeErrorBody(body))?.error.code
  if (code === undefined) return undefined
  if (rateLimitCodes.has(code)) {
    return { failure: "rate_limited", reason: `rate limit for this IP address reached (code ${code})` }
  }
  if (temporaryFailureCodes.has(code)) return { failure: "unreachable", reason: `temporary error (code ${code})` }
  return { failure: "malformed", reason: `the request was rejected (code ${code})` }
}

export const optionalNullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const rpcResponse = <S extends Schema.Top>(result: S) => Schema.Struct({ result })

export const hasInstrumentPrefix = (prefix: string, name: string): boolean => name.startsWith(`${prefix}-`)

/**
 * Returns whether a row may be an instrument of the coin. Only rows with a valid name of another coin's instrument are
 * excluded.
 */
const mayBeOfCoin = (prefix: string) => (row: unknown): boolean =>
  typeof row !== "object" || row === null || !("instrument_name" in row) ||
  typeof row.instrument_name !== "string" || hasInstrumentPrefix(prefix, row.instrument_name) ||
  !/^[A-Z0-9]{1,20}(_[A-Z]{1,20})?-[\w-]{1,100}$/u.test(row.instrument_name)

/** Decodes the rows of one coin, and skips rows of other coins without decoding. */
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

/** Rounds a product of decimals to 12 significant digits, to remove binary rounding errors. */
export const roundDecimals = (x: number): number => Number(x.toPrecision(12))
