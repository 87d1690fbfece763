import type {
  AnswerRefusal,
  CallRefusal,
  ExpiryPassed,
  InvalidKey,
  KeyLimit,
  Message,
  PlanNotConfigured,
  RateLimited,
  UnknownAccount,
  UnknownKey,
  UnknownPlan
} from "@tapeline/core"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type * as Request from "./requestRefusal.ts"

/** Everything that a request to this service can be refused with. */
export type Refusal =
  | CallRefusal
  | AnswerRefusal
  | InvalidKey
  | RateLimited
  | UnknownAccount
  | UnknownKey
  | UnknownPlan
  | ExpiryPassed
  | PlanNotConfigured
  | KeyLimit
  | InstanceType<(typeof Request)[keyof typeof Request]>

/** The statuses of refusals: how a problem is titled, and what the document says of it. */
const statuses = {
  400: { title: { key: "title_bad_request" }, description: "The request is wrong; change it before sending it again." },
  401: { title: { key: "title_unauthorized" }, description: "The key is missing, malformed, expired or revoked." },
  402: { title: { key: "title_over_limit" }, description: "The month's credits do not cover the price." },
  403: { title: { key: "title_forbidden" }, description: "The key lacks a scope." },
  404: {
    title: { key: "title_not_found" },
    description: "There is no such tool, conversation, record or address."
  },
  405: {
    title: { key: "title_method_not_allowed" },
    description: "The address exists for other methods; `allow` lists them."
  },
  408: { title: { key: "title_request_timeout" }, description: "The request did not arrive in time." },
  409: { title: { key: "title_conflict" }, description: "The request contradicts the present state." },
  413: { title: { key: "title_payload_too_large" }, description: "The body is too large." },
  415: { title: { key: "title_unsupported_media_type" }, description: "The body is not plain JSON by its headers." },
  429: {
    title: { key: "title_rate_limited" },
    description: "The plan's requests of this minute, or its answers of this day, are used up."
  },
  431: { title: { key: "title_headers_too_large" }, description: "The headers are too large." },
  500: { title: { key: "title_internal" }, description: "A fault of the service; nothing was charged." },
  503: { title: { key: "title_unavailable" }, description: "The service is stopping, or its database is away." }
} as const satisfies Record<number, { readonly title: Message; readonly description: string }>

type Status = keyof typeof statuses

/** Headers that belong to a refusal, with what the document says of each. */
export const headerDescriptions = {
  allow: "The methods that the address answers",
  "ratelimit-limit": "Requests a minute that the account's plan allows",
  "ratelimit-remaining": "Requests left in this minute",
  "ratelimit-reset": "Seconds until the minute ends",
  "retry-after": "Seconds until another try is worth it",
  "www-authenticate": "How to authenticate: `Bearer`"
} as const
type RefusalHeader = keyof typeof headerDescriptions

/** Prefix of a problem's `type`; its code follows. */
export const problemType = "urn:tapeline:problem:"

const pascalCase = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

const kind = <
  const Code extends string,
  const S extends Status,
  Fields extends Schema.Struct.Fields = {},
  const Headers extends ReadonlyArray<RefusalHeader> = []
>(
  code: Code,
  status: S,
  more: { readonly fields?: Fields; readonly headers?: Headers } = {}
) => {
  // Left out means none, which the default types say as well.
  const [fields, headers] = [(more.fields ?? {}) as Fields, (more.headers ?? []) as Headers]
  const { description, title } = statuses[status]
  const schema = Schema.Struct({
    type: Schema.Literal(`${problemType}${code}`),
    title: Schema.String,
    status: Schema.Literal(status),
    detail: Schema.String.annotate({ description: "What to change, in the language of `x-lang`" }),
    code: Schema.Literal(code),
    request_id: Schema.String,
    ...fields
  }).annotate({ identifier: `${pascalCase(code)}Problem`, description }).pipe(
    HttpApiSchema.asJson({ contentType: "application/problem+json" }),
    HttpApiSchema.status(status)
  )
  return { code, status, title, fields, headers, schema }
}

/** Kinds by their codes: one under another's code does not compile. */
const byCode = <const Kinds extends { readonly [Code in keyof Kinds]: { readonly code: Code } }>(kinds: Kinds) => kinds

const Issues = Schema.Array(
  Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotate({
      description: "Where: from the top of the body, or the name of a header or query parameter"
    }),
    message: Schema.String
  })
)

const WayForward = Schema.Union([
  Schema.Struct({
    action: Schema.Literal("upgrade"),
    plans: Schema.Array(Schema.Struct({ plan: Schema.String, monthly_credits: Schema.Int }))
  }),
  Schema.Struct({ action: Schema.Literal("wait"), renews_at: Schema.String })
])

const wait = {
  fields: { retry_after_seconds: Schema.Int.annotate({ description: "What `retry-after` says" }) },
  headers: ["retry-after"]
} as const

/** What goes with each code: its status and title, its problem's fields beyond the common ones, its headers. */
export const kinds = byCode({
  user_id_not_accepted: kind("user_id_not_accepted", 400),
  invalid_body: kind("invalid_body", 400),
  invalid_request: kind("invalid_request", 400),
  invalid_arguments: kind("invalid_arguments", 400, { fields: { issues: Issues } }),
  idempotency_key_reused: kind("idempotency_key_reused", 400),
  invalid_key: kind("invalid_key", 401, { headers: ["www-authenticate"] }),
  over_limit: kind("over_limit", 402, {
    fields: { price: Schema.Int, credits_left: Schema.Int, ways_forward: Schema.Array(WayForward) }
  }),
  scope_required: kind("scope_required", 403, { fields: { required_scope: Schema.String } }),
  unknown_tool: kind("unknown_tool", 404),
  conversation_not_found: kind("conversation_not_found", 404),
  not_found: kind("not_found", 404),
  method_not_allowed: kind("method_not_allowed", 405, { headers: ["allow"] }),
  request_timeout: kind("request_timeout", 408),
  key_limit: kind("key_limit", 409, { fields: { limit: Schema.Int } }),
  generation_running: kind("generation_running", 409, {
    fields: { ways_forward: Schema.Tuple([Schema.Literal("resume"), Schema.Literal("cancel")]) }
  }),
  request_in_progress: kind("request_in_progress", 409, wait),
  payload_too_large: kind("payload_too_large", 413, { fields: { limit_bytes: Schema.Int } }),
  unsupported_media_type: kind("unsupported_media_type", 415),
  rate_limited: kind("rate_limited", 429, {
    fields: wait.fields,
    headers: [...wait.headers, "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
  }),
  daily_quota_reached: kind("daily_quota_reached", 429, {
    fields: {
      quota: Schema.Int.annotate({ description: "Answers a day of the account's plan" }),
      renews_at: Schema.String.annotate({ description: "When the day ends (UTC)" }),
      ...wait.fields
    },
    headers: wait.headers
  }),
  headers_too_large: kind("headers_too_large", 431),
  internal: kind("internal", 500),
  unavailable: kind("unavailable", 503, wait)
})

type Kinds = typeof kinds
/** What a refusal is called, in its problem's `code`. */
export type RefusalCode = keyof Kinds

type FieldsOf<Code extends RefusalCode> = Schema.Struct.Type<Kinds[Code]["fields"]>
type HeadersOf<Code extends RefusalCode> = { readonly [H in Kinds[Code]["headers"][number]]: string }

/** What a code's problem says this time: its message, and its fields and headers where the code has any. */
type Parts<Code extends RefusalCode> =
  & { readonly detail: Message }
  & ({} extends FieldsOf<Code> ? {} : { readonly fields: FieldsOf<Code> })
  & ({} extends HeadersOf<Code> ? {} : { readonly headers: HeadersOf<Code> })

/** What a refusal carries of its own: all that one without fields has not. */
type Told<R extends Refusal> = Omit<R, keyof InvalidKey>

type Say = (message: Message) => string

type Answer<R extends Refusal> = {
  readonly [Code in RefusalCode]: {
    readonly code: Code
    /** One such refusal, for the document's example. */
    readonly sample: Told<R>
    readonly problem: (refusal: Told<R>, say: Say) => Parts<Code>
    /** What the log is told of it as a warning, with its cause; nothing when left out. */
    readonly warning?: string
  }
}[RefusalCode]

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** That another try is worth it so many seconds later, in the problem and in its header. */
const waiting = (after: number) =>
  ({ fields: { retry_after_seconds: after }, headers: { "retry-after": String(after) } }) as const

/**
 * What answers each refusal. With `kinds`, this is the one table of refusals: the problems' schemas, the statuses that
 * operations declare, the document's examples and the answers themselves all follow from it.
 */
export const answers = {
  UserIdNotAccepted: {
    code: "user_id_not_accepted",
    sample: {},
    problem: () => ({ detail: { key: "user_id_not_accepted" } })
  },
  InvalidBody: {
    code: "invalid_body",
    sample: { says: { key: "invalid_body" } },
    problem: ({ says }) => ({ detail: says })
  },
  InvalidRequest: {
    code: "invalid_request",
    sample: { says: { key: "malformed_request" } },
    problem: ({ says }) => ({ detail: says })
  },
  InvalidArguments: {
    code: "invalid_arguments",
    sample: { issues: [{ path: ["coin"], message: "This argument is required." }] },
    problem: ({ issues }) => ({
      detail: { key: "invalid_arguments", params: { count: new Set(issues.map(({ path: [name] }) => name)).size } },
      fields: { issues }
    })
  },
  /** An unknown plan is a wrong argument like any other. */
  UnknownPlan: {
    code: "invalid_arguments",
    sample: { plan: "gold", known: ["free", "pro"] },
    problem: ({ known, plan }, say) => {
      const detail: Message = { key: "unknown_plan", params: { plan, known: known.join(", ") } }
      return { detail, fields: { issues: [{ path: ["plan"], message: say(detail) }] } }
    }
  },
  /** So is an expiry that lies behind. */
  ExpiryPassed: {
    code: "invalid_arguments",
    sample: { expiresAt: Date.UTC(2020, 0) },
    problem: (_, say) => {
      const expected = say({ key: "expected_future" })
      const issue = { path: ["expires_at"], message: say({ key: "issue_expected", params: { expected } }) }
      return { detail: { key: "invalid_arguments", params: { count: 1 } }, fields: { issues: [issue] } }
    }
  },
  PlanNotConfigured: {
    code: "unavailable",
    sample: { plan: "gold" },
    problem: ({ plan }) => ({
      detail: { key: "plan_not_configured", params: { plan } },
      // A configuration that is being rolled out takes longer than a moment.
      ...waiting(30)
    })
  },
  IdempotencyKeyReused: {
    code: "idempotency_key_reused",
    sample: {},
    problem: () => ({ detail: { key: "idempotency_key_reused" } })
  },
  InvalidKey: {
    code: "invalid_key",
    sample: {},
    problem: () => ({ detail: { key: "invalid_key" }, headers: { "www-authenticate": "Bearer" } })
  },
  InvalidAdminToken: {
    code: "invalid_key",
    sample: {},
    problem: () => ({ detail: { key: "invalid_admin_token" }, headers: { "www-authenticate": "Bearer" } })
  },
  OverLimit: {
    code: "over_limit",
    sample: {
      price: 20,
      credits_left: 7,
      upgrades: [{ plan: "premium", monthly_credits: 300_000 }],
      renewsAt: Date.UTC(2026, 11)
    },
    problem: ({ credits_left, price, renewsAt, upgrades }) => {
      const wait = { action: "wait", renews_at: new Date(renewsAt).toISOString() } as const
      return {
        detail: { key: "over_limit", params: { price, left: credits_left } },
        fields: {
          price,
          credits_left,
          ways_forward: upgrades.length === 0 ? [wait] : [{ action: "upgrade", plans: upgrades }, wait]
        }
      }
    }
  },
  ScopeRequired: {
    code: "scope_required",
    sample: { required_scope: "read:market" },
    problem: ({ required_scope }) => ({
      detail: { key: "scope_required", params: { scope: required_scope } },
      fields: { required_scope }
    })
  },
  UnknownTool: {
    code: "unknown_tool",
    sample: { tool: "get_riches" },
    problem: ({ tool }) => ({ detail: { key: "unknown_tool", params: { tool } } })
  },
  ConversationNotFound: {
    code: "conversation_not_found",
    sample: { conversation: 56 },
    problem: ({ conversation }) => ({ detail: { key: "conversation_not_found", params: { id: conversation } } })
  },
  ConversationBusy: {
    code: "generation_running",
    sample: { conversation: 56 },
    problem: () => ({ detail: { key: "generation_running" }, fields: { ways_forward: ["resume", "cancel"] } })
  },
  UnknownAddress: { code: "not_found", sample: {}, problem: () => ({ detail: { key: "not_found" } }) },
  UnknownAccount: {
    code: "not_found",
    sample: { account: 12 },
    problem: ({ account }) => ({ detail: { key: "unknown_account", params: { id: account } } })
  },
  UnknownKey: {
    code: "not_found",
    sample: { key: 34 },
    problem: ({ key }) => ({ detail: { key: "unknown_key", params: { id: key } } })
  },
  MethodNotAllowed: {
    code: "method_not_allowed",
    sample: { allow: ["GET", "HEAD"] },
    problem: ({ allow }) => ({
      detail: { key: "method_not_allowed", params: { allow: allow.join(", ") } },
      headers: { allow: allow.join(", ") }
    })
  },
  RequestTimeout: { code: "request_timeout", sample: {}, problem: () => ({ detail: { key: "request_timeout" } }) },
  KeyLimit: {
    code: "key_limit",
    sample: { limit: 2 },
    problem: ({ limit }) => ({ detail: { key: "key_limit", params: { limit } }, fields: { limit } })
  },
  RequestInProgress: {
    code: "request_in_progress",
    sample: { retryAfterMs: 1000 },
    problem: ({ retryAfterMs }) => ({
      detail: { key: "request_in_progress" },
      ...waiting(seconds(retryAfterMs))
    })
  },
  PayloadTooLarge: {
    code: "payload_too_large",
    sample: { limit: 262_144 },
    problem: ({ limit }) => ({
      detail: { key: "payload_too_large", params: { limit } },
      fields: { limit_bytes: limit }
    })
  },
  UnsupportedMediaType: {
    code: "unsupported_media_type",
    sample: { says: { key: "unsupported_media_type" } },
    problem: ({ says }) => ({ detail: says })
  },
  RateLimited: {
    code: "rate_limited",
    sample: { limit: 60, resetMs: 12_000 },
    problem: ({ limit, resetMs }) => {
      const reset = seconds(resetMs)
      const { fields, headers } = waiting(reset)
      return {
        detail: { key: "rate_limited", params: { seconds: reset } },
        fields,
        headers: {
          ...headers,
          "ratelimit-limit": String(limit),
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(reset)
        }
      }
    }
  },
  DailyQuotaReached: {
    code: "daily_quota_reached",
    sample: { quota: 200, renewsAt: Date.UTC(2026, 10, 22), retryAfterMs: 52_200_000 },
    problem: ({ quota, renewsAt, retryAfterMs }) => {
      const { fields, headers } = waiting(seconds(retryAfterMs))
      return {
        detail: { key: "daily_quota_reached", params: { quota } },
        fields: { quota, renews_at: new Date(renewsAt).toISOString(), ...fields },
        headers
      }
    }
  },
  HeadersTooLarge: { code: "headers_too_large", sample: {}, problem: () => ({ detail: { key: "headers_too_large" } }) },
  Fault: { code: "internal", sample: {}, problem: () => ({ detail: { key: "internal" } }) },
  Stopping: {
    code: "unavailable",
    sample: {},
    problem: () => ({ detail: { key: "unavailable" }, ...waiting(1) })
  },
  CutOff: {
    code: "unavailable",
    sample: {},
    problem: () => ({ detail: { key: "in_doubt" }, ...waiting(1) })
  },
  ChargeInDoubt: {
    code: "unavailable",
    sample: {},
    problem: () => ({ detail: { key: "in_doubt" }, ...waiting(1) }),
    warning: "store unavailable"
  },
  StoreUnavailable: {
    code: "unavailable",
    sample: { store: "database", retryable: true },
    problem: () => ({ detail: { key: "unavailable" }, ...waiting(1) }),
    warning: "store unavailable"
  }
} satisfies { readonly [R in Refusal as R["_tag"]]: Answer<R> }

/** What a refusal is told as. */
export type CodeOf<R extends Refusal> = (typeof answers)[R["_tag"]]["code"]

/** The refusals that are told as one of these codes. */
export type RefusalOf<Code extends RefusalCode> = {
  readonly [R in Refusal as R["_tag"]]: CodeOf<R> extends Code ? R : never
}[Refusal["_tag"]]
