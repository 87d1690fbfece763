import { Option, Schema } from "effect"
import type { RateLimit, RateLimit403, ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({ code: Schema.Int, msg: Schema.String })
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

export const errorCodeOf = (body: unknown): number | undefined => Option.getOrUndefined(decodeErrorBody(body))?.code

const rateLimitCodes = new Set([-1003, -1015])
const temporaryFailureCodes = new Set([-1000, -1001, -1006, -1007, -1008, -1016])

/** Recognises Binance's error body `{ code, msg }`, which may have HTTP status 200 or 4xx. */
export const readBinanceRejection: ReadBodyRejection = (body) => {
  const code = errorCodeOf(body)
  if (code === undefined || code === 200) return undefined
  if (rateLimitCodes.has(code)) {
    return { failure: "rate_limited", reason: `rate limit for this IP address reached (code ${code})` }
  }
  if (code === 0) return { failure: "blocked", reason: "not available in this region (code 0)" }
  if (temporaryFailureCodes.has(code)) return { failure: "unreachable", reason: `temporary error (code ${code})` }
  return { failure: "malformed", reason: `the request was rejected (code ${code})` }
}

/**
 * Interprets a 403 from Binance's firewall as a rate limit, unless the body mentions a country or location. If the
 * firewall continues to respond with 403, the source counts as blocked at the server's location.
 */
export const binanceFirewall: RateLimit403 = {
  pattern: /^(?!.*(?:your country|restricted location))/isu,
  pauseMs: 300_000,
  firewall: "its firewall rejects this IP address (too many requests, or a security block)"
}

/** Returns the weight that the IP address has used in the current minute, from the header `x-mbx-used-weight-1m`. */
export const readBinanceUsedWeight = (headers: Headers): RateLimit | undefined => {
  const text = headers.get("x-mbx-used-weight-1m")
  return text !== null && /^\d{1,9}$/u.test(text) ? { weight: Number(text), windowMs: 60_000 } : undefined
}
