import type { Message } from "@tapeline/core"
import { AdminScope } from "@tapeline/core/engine"
import { ProposalState } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

const statusInfo = {
  400: {
    title: { key: "title_bad_request" },
    description: "The request is invalid; correct it before you send it again."
  },
  401: {
    title: { key: "title_unauthorized" },
    description: "The key is missing, malformed, expired or revoked, or the browser is not signed in."
  },
  402: {
    title: { key: "title_over_limit" },
    description: "The month's credits of the account or of the key do not cover the price."
  },
  403: {
    title: { key: "title_forbidden" },
    description:
      "One of these reasons: the key or the admin token lacks a scope; the key is not accepted from the client's " +
      "address; the account is suspended; the action needs a recent sign-in; the request may come from a page of " +
      "another site; the sign-in link is not valid."
  },
  404: {
    title: { key: "title_not_found" },
    description: "There is no such tool, conversation, record or address."
  },
  405: {
    title: { key: "title_method_not_allowed" },
    description: "The address does not support this method; `allow` lists the supported methods."
  },
  408: { title: { key: "title_request_timeout" }, description: "The request did not arrive in time." },
  409: { title: { key: "title_conflict" }, description: "The request conflicts with the current state." },
  413: { title: { key: "title_payload_too_large" }, description: "The body is too large." },
  415: {
    title: { key: "title_unsupported_media_type" },
    description: "The headers do not declare the body as uncompressed JSON."
  },
  429: {
    title: { key: "title_rate_limited" },
    description:
      "One of these limits is reached: the requests per minute of the plan or of the key, the plan's answers per day, " +
      "the open streams or exports, or the failed attempts to authenticate."
  },
  431: { title: { key: "title_headers_too_large" }, description: "The headers are too large." },
  500: { title: { key: "title_internal" }, description: "The service failed. Nothing was charged." },
  503: {
    title: { key: "title_unavailable" },
    description: "The service is stopping or overloaded, or its database is unavailable."
  }
} as const satisfies Record<number, { readonly title: Message; readonly description: string }>

type Status = keyof typeof statusInfo

export const headerDescriptions = {
  allow: "The methods that the address supports",
  "ratelimit-limit": "Requests per minute that the key or the account's plan allows",
  "ratelimit-remaining": "Requests left in this minute",
  "ratelimit-reset": "Seconds until the minute ends",
  "retry-after": "Seconds after which a retry can succeed",
  "www-authenticate": "How to authenticate: `Bearer` with a key, `Cookie` by signing in"
} as const
type ProblemHeader = keyof typeof headerDescriptions

export const problemTypePrefix = "urn:tapeline:problem:"

const pascalCase = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

const problemKind = <
  const Code extends string,
  const S extends Status,
  Fields extends Schema.Struct.Fields = {},
  const Headers extends ReadonlyArray<ProblemHeader> = []
>(
  code: Code,
  status: S,
  extras: { readonly fields?: Fields; readonly headers?: Headers } = {}
) => {
  // The casts are safe because the type parameters of absent `fields` and `headers` default to empty types.
  const [fields, headers] = [(extras.fields ?? {}) as Fields, (extras.headers ?? []) as Headers]
  const { description, title } = statusInfo[status]
  const schema = Schema.Struct({
    type: Schema.Literal(`${problemTypePrefix}${code}`),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String.annotate({
      description: "Describes the problem and its solution, in the language of `x-lang`"
    }),
    code: Schema.Literal(code),
    request_id: Schema.String,
    ...fields
  }).annotate({ identifier: `${pascalCase(code)}Problem`, description }).pipe(
    HttpApiSchema.asJson({ contentType: "application/problem+json" }),
    HttpApiSchema.status(status)
  )
  return { code, status, title, fields, headers, schema }
}

/** Requires at compile time that the key of each problem kind equals the kind's error code. */
const checkCodes = <const Kinds extends { readonly [Code in keyof Kinds]: { readonly code: Code } }>(kinds: Kinds) =>
  kinds

const Issues = Schema.Array(
  Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotate({
      description: "The path of the argument in the body, or the name of a header or query parameter"
    }),
    message: Schema.String
  })
)

const CreditOption = Schema.Union([
  Schema.Struct({
    action: Schema.Literal("upgrade"),
    plans: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int }))
  }),
  Schema.Struct({ action: Schema.Literal("wait"), renews_at: Schema.String })
])

const KeyCreditOption = Schema.Union([
  Schema.Struct({ action: Schema.Literals(["raise_key_limit", "use_another_key"]) }),
  Schema.Struct({ action: Schema.Literal("wait"), renews_at: Schema.String })
])

const KeyOption = Schema.Union([
  Schema.Struct({ action: Schema.Literal("revoke") }),
  Schema.Struct({
    action: Schema.Literal("upgrade"),
    plans: Schema.Array(Schema.Struct({ plan: Schema.String, keys: Schema.Int }))
  })
])

const retryAfter = {
  fields: { retry_after_seconds: Schema.Int.annotate({ description: "The value of the header `retry-after`" }) },
  headers: ["retry-after"]
} as const

/** The status, the title, the additional problem fields and the headers of each error code. */
export const problemKinds = checkCodes({
  user_id_not_accepted: problemKind("user_id_not_accepted", 400),
  invalid_body: problemKind("invalid_body", 400),
  invalid_request: problemKind("invalid_request", 400),
  invalid_arguments: problemKind("invalid_arguments", 400, { fields: { issues: Issues } }),
  idempotency_key_reused: problemKind("idempotency_key_reused", 400),
  invalid_key: problemKind("invalid_key", 401, { headers: ["www-authenticate"] }),
  session_required: problemKind("session_required", 401, { headers: ["www-authenticate"] }),
  over_limit: problemKind("over_limit", 402, {
    fields: { price: Schema.Int, credits_left: Schema.Int, ways_forward: Schema.Array(CreditOption) }
  }),
  key_over_limit: problemKind("key_over_limit", 402, {
    fields: {
      price: Schema.Int,
      credits_left: Schema.Int,
      monthly_credits: Schema.Int.annotate({ description: "The monthly credits of the key" }),
      ways_forward: Schema.Array(KeyCreditOption)
    }
  }),
  address_not_allowed: problemKind("address_not_allowed", 403),
  scope_required: problemKind("scope_required", 403, { fields: { required_scope: Schema.String } }),
  admin_scope_required: problemKind("admin_scope_required", 403, { fields: { required_scope: AdminScope } }),
  account_suspended: problemKind("account_suspended", 403),
  sign_in_again: problemKind("sign_in_again", 403),
  cross_site: problemKind("cross_site", 403),
  other_account: problemKind("other_account", 403),
  link_refused: problemKind("link_refused", 403, {
    fields: {
      reason: Schema.Literals(["unknown", "used", "expired"]).annotate({
        description:
          "`unknown`: the link was never created or is incomplete; `used`: the link was used before; `expired`: its lifetime is over"
      })
    }
  }),
  unknown_tool: problemKind("unknown_tool", 404),
  conversation_not_found: problemKind("conversation_not_found", 404),
  proposal_not_found: problemKind("proposal_not_found", 404),
  not_found: problemKind("not_found", 404),
  method_not_allowed: problemKind("method_not_allowed", 405, { headers: ["allow"] }),
  request_timeout: problemKind("request_timeout", 408),
  external_id_taken: problemKind("external_id_taken", 409),
  account_closed: problemKind("account_closed", 409),
  admin_token_name_taken: problemKind("admin_token_name_taken", 409),
  backup_running: problemKind("backup_running", 409),
  secret_returned: problemKind("secret_returned", 409),
  call_not_charged: problemKind("call_not_charged", 409),
  call_already_refunded: problemKind("call_already_refunded", 409, { fields: { adjustment_id: Schema.Int } }),
  refund_exceeds_charge: problemKind("refund_exceeds_charge", 409, { fields: { charged: Schema.Int } }),
  credits_too_low: problemKind("credits_too_low", 409, { fields: { credits_left: Schema.Int } }),
  rotation_running: problemKind("rotation_running", 409, {
    fields: {
      key: Schema.Int.annotate({ description: "The id of the other valid key of the same chain of rotations" })
    }
  }),
  key_ended: problemKind("key_ended", 409),
  webhook_limit: problemKind("webhook_limit", 409),
  webhook_disabled: problemKind("webhook_disabled", 409),
  key_limit: problemKind("key_limit", 409, { fields: { limit: Schema.Int, ways_forward: Schema.Array(KeyOption) } }),
  generation_running: problemKind("generation_running", 409, {
    fields: { ways_forward: Schema.Tuple([Schema.Literal("resume"), Schema.Literal("cancel")]) }
  }),
  conversation_went_on: problemKind("conversation_went_on", 409, {
    fields: { last_message_id: Schema.NullOr(Schema.Int) }
  }),
  proposal_closed: problemKind("proposal_closed", 409, { fields: { state: ProposalState } }),
  proposal_outdated: problemKind("proposal_outdated", 409),
  request_in_progress: problemKind("request_in_progress", 409, retryAfter),
  payload_too_large: problemKind("payload_too_large", 413, { fields: { limit_bytes: Schema.Int } }),
  unsupported_media_type: problemKind("unsupported_media_type", 415),
  rate_limited: problemKind("rate_limited", 429, {
    fields: retryAfter.fields,
    headers: [...retryAfter.headers, "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
  }),
  daily_quota_reached: problemKind("daily_quota_reached", 429, {
    fields: {
      quota: Schema.Int.annotate({ description: "Answers a day that the account's plan allows" }),
      renews_at: Schema.String.annotate({ description: "The end of the day in UTC, when the quota renews" }),
      ...retryAfter.fields
    },
    headers: retryAfter.headers
  }),
  too_many_attempts: problemKind("too_many_attempts", 429, retryAfter),
  headers_too_large: problemKind("headers_too_large", 431),
  internal: problemKind("internal", 500),
  unavailable: problemKind("unavailable", 503, retryAfter)
})

export type ProblemKinds = typeof problemKinds

/** An error code: a value of the field `code` of an RFC 9457 problem. */
export type ProblemCode = keyof ProblemKinds

/** All error codes of the service. */
// The cast is safe because `Object.keys` returns the keys of the object, typed as `string`.
export const problemCodes = Object.keys(problemKinds) as ReadonlyArray<ProblemCode>

/** The RFC 9457 problem that the service sends for an error code. */
export type ProblemOf<Code extends ProblemCode> = ProblemKinds[Code]["schema"]["Type"]
