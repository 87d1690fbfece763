import { Option, Schema } from "effect"
import type { RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({ code: Schema.String, msg: Schema.String })
const decodeRefused = Schema.decodeUnknownOption(Refused)

const codeOf = (body: unknown): string | undefined => Option.getOrUndefined(decodeRefused(body))?.code

const limiting = new Set(["50011", "50040", "50061"])
const failing = new Set(["50001", "50004", "50013", "50026"])

/** A code for an error message. It is foreign text, so only digits are shown. */
const named = (code: string): string => /^\d{1,8}$/u.test(code) ? code : "unknown"

/** Recognises OKX's `{ code, msg }`, which may have status 200 or 4xx. Any code other than "0" is an error. */
export const refusedByOkx: RefusedInBody = (body) => {
  const code = codeOf(body)
  if (code === undefined || code === "0") return undefined
  const reason = `(code ${named(code)})`
  if (limiting.has(code)) return { failure: "rate_limited", reason: `it limits our address ${reason}` }
  if (failing.has(code)) return { failure: "unreachable", reason: `it failed ${reason}` }
  return { failure: "malformed", reason: `it does not take the request ${reason}` }
}

/** Whether the instrument does not exist. */
export const isUnknownInstrument = (body: unknown): boolean => codeOf(body) === "51001"

/** A successful response, which always contains a list. */
export const answered = <A, I>(rows: Schema.Codec<A, I>) => Schema.Struct({ code: Schema.Literal("0"), data: rows })
