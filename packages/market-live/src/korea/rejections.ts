import { Option, Schema } from "effect"
import type { ReadBodyRejection } from "../source/index.ts"

const ErrorBody = Schema.Struct({
  error: Schema.Struct({ name: Schema.Union([Schema.String, Schema.Int]) })
})
const decodeErrorBody = Schema.decodeUnknownOption(ErrorBody)

const errorNameOf = (body: unknown): string | undefined =>
  Option.getOrUndefined(Option.map(decodeErrorBody(body), ({ error }) => String(error.name).toLowerCase()))

const rateLimitErrors = new Set(["429", "too_many_requests"])
const temporaryErrors = new Set(["500", "503", "internal_server_error", "server_error"])

/** Recognises an error body `{ error: { name, message } }` in a response with a successful status. */
export const readKrwRejection: ReadBodyRejection = (body, status) => {
  const name = status < 300 ? errorNameOf(body) : undefined
  if (name === undefined) return undefined
  const shownName = /^[\w.-]{1,60}$/u.test(name) ? name : "without a name"
  if (rateLimitErrors.has(name)) {
    return { failure: "rate_limited", reason: `rate limit for this IP address reached (${shownName})` }
  }
  if (temporaryErrors.has(name)) return { failure: "unreachable", reason: `it failed (${shownName})` }
  return { failure: "malformed", reason: `the request was rejected (${shownName})` }
}

/** Returns whether the market does not exist, which an exchange reports as "Code not found". */
export const isNoMarket = (body: unknown): boolean => errorNameOf(body) === "404"
