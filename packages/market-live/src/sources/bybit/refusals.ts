import { Option, Schema } from "effect"
import { InstantMs, type RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ retCode: Schema.Int, retMsg: Schema.String })
const decodeRefused = Schema.decodeUnknownOption(Refused)

const refusalIn = (body: unknown) => Option.getOrUndefined(decodeRefused(body))

/** The duration of a ban: ten minutes. */
const banMs = 600_000

/** A 403 with "access too frequent" is a rate limit. The documents require a pause of ten minutes. */
export const limitedByBybit = { says: /access too frequent/iu, forMs: banMs }

const failing = new Set([10000, 10016])

/** Recognises Bybit's `{ retCode, retMsg }`, which has status 200. Any code other than 0 is an error. */
export const refusedByBybit: RefusedInBody = (body) => {
  const code = refusalIn(body)?.retCode
  if (code === undefined || code === 0) return undefined
  if (code === 10006) return { failure: "rate_limited", reason: `it limits our address (code ${code})` }
  if (code === 10009 || code === 10018) {
    return { failure: "rate_limited", reason: `it limits our address (code ${code})`, retryAfterMs: banMs }
  }
  if (code === 10024) return { failure: "blocked", reason: `it does not serve this place (code ${code})` }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed (code ${code})` }
  return { failure: "malformed", reason: `it does not take the request (code ${code})` }
}

/** Whether the symbol is unknown: `Not supported symbols` for spot, `params error: symbol invalid` for contracts. */
export const isUnknownSymbol = (body: unknown): boolean => {
  const refusal = refusalIn(body)
  return refusal?.retCode === 10001 && /not supported symbols|symbol invalid/iu.test(refusal.retMsg)
}

/** A successful response, with the server's time. */
export const answered = <A, I>(result: Schema.Codec<A, I>) =>
  Schema.Struct({ retCode: Schema.Literal(0), result, time: InstantMs })
