import { type Issue, say } from "@tapeline/core"
import type { HttpServerRequest } from "effect/http"
import type { Exchange } from "./exchange.ts"

/** Returns the idempotency key of a request. If the header is sent twice, returns an issue in the caller's language. */
export const idempotencyKeyOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  { language, sent }: Exchange
): { readonly idempotencyKey: string | undefined; readonly issues: ReadonlyArray<Issue> } => {
  if (sent["idempotency-key"] < 2) return { idempotencyKey: headers["idempotency-key"], issues: [] }
  const header = "Idempotency-Key"
  const issue = { path: [header], message: say({ key: "repeated_header", params: { header } }, language) }
  // Node joins a header that is sent twice. The joined text is not a valid key of any caller.
  return { idempotencyKey: undefined, issues: [issue] }
}
