import { Option, Schema } from "effect"
import type { ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({ code: Schema.String, msg: Schema.String })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

const errorCodeOf = (body: unknown): string | undefined => Option.getOrUndefined(decodeErrorBody(body))?.code

const rateLimitCodes = new Set(["50011", "50040", "50061"])
const temporaryFailureCodes = new Set(["50001", "50004", "50013", "50026"])

/**
 * Returns a code that is safe to show in an error message. An error code that is not a number is replaced by `unknown`.
 */
const shownCode = (code: string): string => /^\d{1,8}$/u.test(code) ? code : "unknown"

/** Recognises OKX's error body `{ code, msg }`, which may have HTTP status 200 or 4xx, by a `code` other than "0". */
export const readOkxRejection: ReadBodyRejection = (body) => {
  const code = errorCodeOf(body)
  if (code === undefined || code === "0") return undefined
  const reason = `(code ${shownCode(code)})`
  if (rateLimitCodes.has(code)) {
    return { failure: "rate_limited", reason: `rate limit for this IP address reached ${reason}` }
  }
  if (temporaryFailureCodes.has(code)) return { failure: "unreachable", reason: `it failed ${reason}` }
  return { failure: "malformed", reason: `the request was rejected ${reason}` }
}

export const isUnknownInstrument = (body: unknown): boolean => errorCodeOf(body) === "51001"

/** Returns the schema of a successful OKX response, which always contains a list. */
export const successResponse = <A, I>(rows: Schema.Codec<A, I>) =>
  Schema.Struct({ code: Schema.Literal("0"), data: rows })
