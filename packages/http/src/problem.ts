import { type ProblemCode, problemType } from "@tapeline/api"
import { type Message, say } from "@tapeline/core"
import { HttpServerResponse } from "effect/http"
import type { Exchange } from "./exchange.ts"

/** The status and title that go with each code. */
const kinds: Readonly<Record<ProblemCode, { readonly status: number; readonly title: Message }>> = {
  user_id_not_accepted: { status: 400, title: { key: "title_bad_request" } },
  invalid_body: { status: 400, title: { key: "title_bad_request" } },
  invalid_arguments: { status: 400, title: { key: "title_bad_request" } },
  idempotency_key_reused: { status: 400, title: { key: "title_bad_request" } },
  invalid_key: { status: 401, title: { key: "title_unauthorized" } },
  over_limit: { status: 402, title: { key: "title_over_limit" } },
  scope_required: { status: 403, title: { key: "title_forbidden" } },
  unknown_tool: { status: 404, title: { key: "title_not_found" } },
  not_found: { status: 404, title: { key: "title_not_found" } },
  method_not_allowed: { status: 405, title: { key: "title_method_not_allowed" } },
  key_limit: { status: 409, title: { key: "title_conflict" } },
  request_in_progress: { status: 409, title: { key: "title_conflict" } },
  payload_too_large: { status: 413, title: { key: "title_payload_too_large" } },
  unsupported_media_type: { status: 415, title: { key: "title_unsupported_media_type" } },
  rate_limited: { status: 429, title: { key: "title_rate_limited" } },
  internal: { status: 500, title: { key: "title_internal" } },
  unavailable: { status: 503, title: { key: "title_unavailable" } }
}

export interface ProblemParts {
  readonly code: ProblemCode
  readonly detail: Message
  /** Fields of this code beyond those that every problem has. */
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal as RFC 9457 problem details, said in the exchange's language. */
export const problemResponse = (
  exchange: Exchange,
  { code, detail, fields, headers }: ProblemParts
): HttpServerResponse.HttpServerResponse => {
  const { status, title } = kinds[code]
  const body = {
    type: problemType + code,
    title: say(title, exchange.language),
    status,
    detail: say(detail, exchange.language),
    code,
    request_id: exchange.requestId,
    ...fields
  }
  return HttpServerResponse.text(JSON.stringify(body), {
    status,
    contentType: "application/problem+json",
    headers: { "cache-control": "no-store", ...headers }
  })
}
