import { Option, Schema } from "effect"
import { InstantMs, type ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({ retCode: Schema.Int, retMsg: Schema.String })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

const errorIn = (body: unknown) => Option.getOrUndefined(decodeErrorBody(body))

const banMs = 600_000

/**
 * Matches the 403 response of Bybit's rate limit ("access too frequent"). After such a response, clients must pause for
 * ten minutes according to Bybit's documentation.
 */
export const bybitRateLimit403 = { pattern: /access too frequent/iu, pauseMs: banMs }

const temporaryFailureCodes = new Set([10000, 10016])

/** Recognises Bybit's error body `{ retCode, retMsg }`, which has HTTP status 200 and a `retCode` other than 0. */
export const readBybitRejection: ReadBodyRejection = (body) => {
  const code = errorIn(body)?.retCode
  if (code === undefined || code === 0) return undefined
  if (code === 10006) {
    return { failure: "rate_limited", reason: `rate limit for this IP address reached (code ${code})` }
  }
  if (code === 10009 || code === 10018) {
    return {
      failure: "rate_limited",
      reason: `rate limit for this IP address reached (code ${code})`,
      retryAfterMs: banMs
    }
  }
  if (code === 10024) return { failure: "blocked", reason: `not available in this region (code ${code})` }
  if (temporaryFailureCodes.has(code)) return { failure: "unreachable", reason: `temporary error (code ${code})` }
  return { failure: "malformed", reason: `the request was rejected (code ${code})` }
}

/** Returns whether Bybit rejected a symbol as unknown, with different messages for spot markets and contracts. */
export const isUnknownSymbol = (body: unknown): boolean => {
  const error = errorIn(body)
  return error?.retCode === 10001 && /not supported symbols|symbol invalid/iu.test(error.retMsg)
}

/** Returns the schema of a successful Bybit response, with the server's time. */
export const successResponse = <A, I>(result: Schema.Codec<A, I>) =>
  Schema.Struct({ retCode: Schema.Literal(0), result, time: InstantMs })
