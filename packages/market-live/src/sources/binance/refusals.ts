import { Option, Schema } from "effect"
import type { LimitedBy403, RateLimit, RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ code: Schema.Int, msg: Schema.String })
const decodeRefused = Schema.decodeUnknownOption(Refused)

/** The code of a body that is Binance's word for no. */
export const codeOf = (body: unknown): number | undefined => Option.getOrUndefined(decodeRefused(body))?.code

/** Limits of the address, and what stands for "later" on their side; the rest are requests that it does not take. */
const limiting = new Set([-1003, -1015])
const failing = new Set([-1000, -1001, -1006, -1007, -1008, -1016])

/** Binance's `{ code, msg }`, which has come with 200 as well as with 4xx. */
export const refusedByBinance: RefusedInBody = (body) => {
  const code = codeOf(body)
  if (code === undefined || code === 200) return undefined
  if (limiting.has(code)) return { failure: "rate_limited", reason: `it limits our address (code ${code})` }
  if (code === 0) return { failure: "blocked", reason: "it does not serve this place (code 0)" }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed (code ${code})` }
  return { failure: "malformed", reason: `it does not take the request (code ${code})` }
}

/**
 * Binance's 403 comes from its firewall: this address sent too many requests, or looks like an attacker. Only an answer
 * that names the country, or the location, is about the place. A 403 that lasts counts as a block: it may be about the
 * place without saying so.
 */
export const firewallOfBinance: LimitedBy403 = {
  says: /^(?!.*(?:your country|restricted location))/isu,
  forMs: 300_000,
  firewall: "its firewall refuses this address (too many requests, or a security block)"
}

/** `x-mbx-used-weight-1m`: what everyone behind our address used of this minute. */
export const usedWeightOfBinance = (headers: Headers): RateLimit | undefined => {
  const text = headers.get("x-mbx-used-weight-1m")
  return text !== null && /^\d{1,9}$/u.test(text) ? { weight: Number(text), windowMs: 60_000 } : undefined
}
