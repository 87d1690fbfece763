import { type Issue, say } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import type { Exchange } from "./exchange.ts"

/** The idempotency key of a request, and what is wrong with how it was sent, in the words of the caller's language. */
export const idempotencyKeyOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { language, sent }: Exchange
): { readonly idempotencyKey: string | undefined; readonly issues: ReadonlyArray<Issue> } => {
  if (sent["idempotency-key"] < 2) return { idempotencyKey: headers["idempotency-key"], issues: [] }
  const header = "Idempotency-Key"
  const issue = { path: [header], message: say({ key: "repeated_header", params: { header } }, language) }
  // Node joins a header that is sent twice: what it joined is no key of anybody's.
  return { idempotencyKey: undefined, issues: [issue] }
}
