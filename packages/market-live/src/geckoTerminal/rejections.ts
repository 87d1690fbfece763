import { Option, Schema } from "effect"
import type { ReadBodyRejection } from "../source/index.ts"

const Code = Schema.Union([Schema.String, Schema.Int])
const ErrorBody = Schema.Union([
  Schema.Struct({ errors: Schema.NonEmptyArray(Schema.Struct({ status: Code })) }),
  Schema.Struct({ status: Schema.Struct({ error_code: Code }) })
])
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

const errorCodeOf = (body: unknown): number | undefined => {
  const refused = Option.getOrUndefined(decodeErrorBody(body))
  if (refused === undefined) return undefined
  const code = Number("errors" in refused ? refused.errors[0].status : refused.status.error_code)
  return Number.isInteger(code) ? code : 0
}

/** Recognises JSON:API errors and CoinGecko errors in a response with a successful status. */
export const readGeckoTerminalRejection: ReadBodyRejection = (body, status) => {
  const code = status < 300 ? errorCodeOf(body) : undefined
  if (code === undefined) return undefined
  if (code === 429) return { failure: "rate_limited", reason: `rate limit for this IP address reached (code ${code})` }
  if (code >= 500 && code < 600) return { failure: "unreachable", reason: `temporary error (code ${code})` }
  return { failure: "malformed", reason: `the request was rejected (code ${code})` }
}

export const isNotFound = (body: unknown, status: number): boolean => status === 404 && errorCodeOf(body) === 404
