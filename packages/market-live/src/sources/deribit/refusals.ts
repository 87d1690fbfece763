import { Option, Schema } from "effect"
import type { RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ error: Schema.Struct({ code: Schema.Int, message: Schema.String }) })
const decodeRefused = Schema.decodeUnknownOption(Refused)

/** Too many requests, and too many at a time. */
const limiting = new Set([10_028, 10_066])

/** "Retry", a settlement, a full queue, maintenance, errors of its servers, services that are away or too slow. */
const failing = new Set([10_040, 10_041, 10_047, 11_051, 11_094, 13_028, 13_888, -32_000, -32_603])

/** The `error` of JSON-RPC, which comes with 400 as well as with 200. */
export const refusedByDeribit: RefusedInBody = (body) => {
  const code = Option.getOrUndefined(decodeRefused(body))?.error.code
  if (code === undefined) return undefined
  if (limiting.has(code)) return { failure: "rate_limited", reason: `it limits our address (code ${code})` }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed (code ${code})` }
  return { failure: "malformed", reason: `it does not take the request (code ${code})` }
}
