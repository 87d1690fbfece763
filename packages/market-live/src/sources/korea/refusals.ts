import { Option, Schema } from "effect"
import type { RefusedInBody } from "../../source/index.ts"

const Refused = Schema.Struct({
  error: Schema.Struct({ name: Schema.Union([Schema.String, Schema.Int]) })
})
const decodeRefused = Schema.decodeUnknownOption(Refused)

/** The name of the error in a body, which may be a number or a word; undefined if the body is not an error. */
const nameOf = (body: unknown): string | undefined =>
  Option.getOrUndefined(Option.map(decodeRefused(body), ({ error }) => String(error.name).toLowerCase()))

const limiting = new Set(["429", "too_many_requests"])
const failing = new Set(["500", "503", "internal_server_error", "server_error"])

/** Recognises `{ error: { name, message } }` in a response with a successful status. */
export const refusedByKrwExchange: RefusedInBody = (body, status) => {
  const name = status < 300 ? nameOf(body) : undefined
  if (name === undefined) return undefined
  const said = /^[\w.-]{1,60}$/u.test(name) ? name : "without a name"
  if (limiting.has(name)) return { failure: "rate_limited", reason: `it limits our address (${said})` }
  if (failing.has(name)) return { failure: "unreachable", reason: `it failed (${said})` }
  return { failure: "malformed", reason: `it does not take the request (${said})` }
}

/** Whether the market does not exist ("Code not found"). */
export const isNoMarket = (body: unknown): boolean => nameOf(body) === "404"
