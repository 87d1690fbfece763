import { Option, Schema } from "effect"
import type { RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ code: Schema.String, msg: Schema.String })
const decodeRefused = Schema.decodeUnknownOption(Refused)

const codeOf = (body: unknown): string | undefined => Option.getOrUndefined(decodeRefused(body))?.code

const limiting = new Set(["50011", "50040", "50061"])
const failing = new Set(["50001", "50004", "50013", "50026"])

/** What is told of a code: it is somebody's text, and stands in an error only where it is digits. */
const named = (code: string): string => /^\d{1,8}$/u.test(code) ? code : "unknown"

/** OKX's `{ code, msg }`, which comes with 200 as well as with 4xx: all but "0" is no answer. */
export const refusedByOkx: RefusedInBody = (body) => {
  const code = codeOf(body)
  if (code === undefined || code === "0") return undefined
  const reason = `(code ${named(code)})`
  if (limiting.has(code)) return { failure: "rate_limited", reason: `it limits our address ${reason}` }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed ${reason}` }
  return { failure: "malformed", reason: `it does not take the request ${reason}` }
}

/** It knows no such instrument. */
export const isUnknownInstrument = (body: unknown): boolean => codeOf(body) === "51001"

/** An answer as it comes: a list, whatever was asked for. */
export const answered = <A, I>(rows: Schema.Codec<A, I>) => Schema.Struct({ code: Schema.Literal("0"), data: rows })
