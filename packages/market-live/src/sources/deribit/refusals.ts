import { Option, Schema } from "effect"
import type { RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ error: Schema.Struct({ code: Schema.Int, message: Schema.String }) })
const decodeRefused = Schema.decodeUnknownOption(Refused)

/** Too many requests, and too many concurrent ones. */
const limiting = new Set([10_028, 10_066])

/** Codes for "retry", a settlement, a full queue, maintenance, server errors, and unavailable or slow services. */
const failing = new Set([10_040, 10_041, 10_047, 11_051, 11_094, 13_028, 13_888, -32_000, -32_603])

/** Recognises the `error` of JSON-RPC, which may have status 400 or 200. */
export const refusedByDeribit: RefusedInBody = (body) => {
  const code = Option.getOrUndefined(decodeRefused(body))?.error.code
  if (code === undefined) return undefined
  if (limiting.has(code)) return { failure: "rate_limited", reason: `it limits our address (code ${code})` }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed (code ${code})` }
  return { failure: "malformed", reason: `it does not take the request (code ${code})` }
}
