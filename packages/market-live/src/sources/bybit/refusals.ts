import { Option, Schema } from "effect"
import { InstantMs, type RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ retCode: Schema.Int, retMsg: Schema.String })
const decodeRefused = Schema.decodeUnknownOption(Refused)

const refusalIn = (body: unknown) => Option.getOrUndefined(decodeRefused(body))

/** It bans an address for ten minutes. */
const banMs = 600_000

/** "403, access too frequent", below which its documents say to stay away for as long. */
export const limitedByBybit = { says: /access too frequent/iu, forMs: banMs }

const failing = new Set([10000, 10016])

/** Bybit's `{ retCode, retMsg }`, which comes with 200: all but 0 is no answer. */
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

/** Of spot it says `Not supported symbols`, of contracts `params error: symbol invalid`. */
export const isUnknownSymbol = (body: unknown): boolean => {
  const refusal = refusalIn(body)
  return refusal?.retCode === 10001 && /not supported symbols|symbol invalid/iu.test(refusal.retMsg)
}

/** An answer as it comes, with the time of its server. */
export const answered = <A, I>(result: Schema.Codec<A, I>) =>
  Schema.Struct({ retCode: Schema.Literal(0), result, time: InstantMs })
