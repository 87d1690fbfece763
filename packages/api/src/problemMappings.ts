import type {
  AcceptProposalError,
  AccountClosed,
  AccountSuspended,
  AddressNotAllowed,
  AdjustmentError,
  CallRejection,
  ExpiryPassed,
  ExternalIdTaken,
  InvalidKey,
  InvalidSession,
  KeyEnded,
  KeyLimit,
  LinkRefused,
  Message,
  PlanNotConfigured,
  RateLimited,
  RotationRunning,
  StartAnswerError,
  UnknownAccount,
  UnknownKey,
  UnknownPlan,
  UnknownSession
} from "@tapeline/core"
import { adjustmentProblems } from "./adjustmentProblems.ts"
import { operatorMappings, type OperatorRejection } from "./operatorMappings.ts"
import type { ProblemCode } from "./problemKinds.ts"
import type { ProblemMapping } from "./problemMapping.ts"
import type * as Request from "./requestErrors.ts"
import { webhookMappings, type WebhookRejection } from "./webhookMappings.ts"

/** All errors with which the service can reject a request. */
export type Rejection =
  | AcceptProposalError
  | CallRejection
  | StartAnswerError
  | AccountClosed
  | AccountSuspended
  | AddressNotAllowed
  | AdjustmentError
  | OperatorRejection
  | ExternalIdTaken
  | InvalidKey
  | InvalidSession
  | LinkRefused
  | RateLimited
  | UnknownAccount
  | UnknownKey
  | UnknownPlan
  | UnknownSession
  | WebhookRejection
  | ExpiryPassed
  | PlanNotConfigured
  | KeyEnded
  | KeyLimit
  | RotationRunning
  | InstanceType<(typeof Request)[keyof typeof Request]>

const toSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

const retryAfter = (retryAfterSeconds: number) =>
  ({
    fields: { retry_after_seconds: retryAfterSeconds },
    headers: { "retry-after": String(retryAfterSeconds) }
  }) as const

const notReadyProblem = ({ dependency }: { readonly dependency: string }) => ({
  detail: { key: "not_ready", params: { dependency } } as const,
  ...retryAfter(1)
})

const retrySoon = <Key extends "in_doubt" | "shutting_down" | "unavailable">(key: Key) => () => ({
  detail: { key },
  ...retryAfter(1)
})

const exhaustedLimitHeaders = (limit: number, reset: number) =>
  ({
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": "0",
    "ratelimit-reset": String(reset)
  }) as const

/** Maps each error to the problem response of the service. */
export const problemMappings = {
  ...operatorMappings,
  ...webhookMappings,
  UserIdNotAccepted: {
    code: "user_id_not_accepted",
    sample: {},
    problem: () => ({ detail: { key: "user_id_not_accepted" } })
  },
  InvalidBody: {
    code: "invalid_body",
    sample: { callerMessage: { key: "invalid_body" } },
    problem: ({ callerMessage }) => ({ detail: callerMessage })
  },
  InvalidRequest: {
    code: "invalid_request",
    sample: { callerMessage: { key: "malformed_request" } },
    problem: ({ callerMessage }) => ({ detail: callerMessage })
  },
  InvalidArguments: {
    code: "invalid_arguments",
    sample: { count: 1, issues: [{ path: ["coin"], message: "This argument is required." }] },
    problem: ({ count, issues }) => ({ detail: { key: "invalid_arguments", params: { count } }, fields: { issues } })
  },
  UnknownPlan: {
    code: "invalid_arguments",
    sample: { plan: "gold", known: ["free", "pro"] },
    problem: ({ known, plan }, format) => {
      const detail: Message = { key: "unknown_plan", params: { plan, known: known.join(", ") } }
      return { detail, fields: { issues: [{ path: ["plan"], message: format(detail) }] } }
    }
  },
  ExpiryPassed: {
    code: "invalid_arguments",
    sample: { expiresAt: Date.UTC(2020, 0) },
    problem: (_, format) => {
      const expected = format({ key: "expected_future" })
      const issue = { path: ["expires_at"], message: format({ key: "issue_expected", params: { expected } }) }
      return { detail: { key: "invalid_arguments", params: { count: 1 } }, fields: { issues: [issue] } }
    }
  },
  PlanNotConfigured: {
    code: "unavailable",
    sample: { plan: "gold" },
    problem: ({ plan }) => ({
      detail: { key: "plan_not_configured", params: { plan } },
      // Clients should wait 30 s, because a deployment of a new plan configuration takes longer than one second.
      ...retryAfter(30)
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
  InvalidSession: {
    code: "session_required",
    sample: {},
    problem: () => ({ detail: { key: "invalid_session" }, headers: { "www-authenticate": "Cookie" } })
  },
  AccountSuspended: {
    code: "account_suspended",
    sample: {},
    problem: () => ({ detail: { key: "account_suspended" } })
  },
  SignInAgain: {
    code: "sign_in_again",
    sample: { maxAgeMs: 600_000 },
    problem: ({ maxAgeMs }) => ({
      detail: { key: "sign_in_again", params: { minutes: Math.round(maxAgeMs / 60_000) } }
    })
  },
  ExternalIdTaken: {
    code: "external_id_taken",
    sample: { externalId: "customer-17" },
    problem: ({ externalId: id }) => ({ detail: { key: "external_id_taken", params: { id } } })
  },
  AccountClosed: {
    code: "account_closed",
    sample: { account: 12 },
    problem: ({ account: id }) => ({ detail: { key: "account_closed", params: { id } } })
  },
  ...adjustmentProblems,
  SecretReturned: {
    code: "secret_returned",
    sample: {},
    problem: () => ({ detail: { key: "secret_returned" } })
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
  KeyOverLimit: {
    code: "key_over_limit",
    sample: { price: 10, credits_left: 4, monthly_credits: 1_000, renewsAt: Date.UTC(2026, 11) },
    problem: ({ credits_left, monthly_credits, price, renewsAt }) => ({
      detail: { key: "key_over_limit", params: { price, left: credits_left, limit: monthly_credits } },
      fields: {
        price,
        credits_left,
        monthly_credits,
        ways_forward: [
          { action: "raise_key_limit" },
          { action: "use_another_key" },
          { action: "wait", renews_at: new Date(renewsAt).toISOString() }
        ]
      }
    })
  },
  AddressNotAllowed: {
    code: "address_not_allowed",
    sample: {},
    problem: () => ({ detail: { key: "address_not_allowed" } })
  },
  RotationRunning: {
    code: "rotation_running",
    sample: { key: 12 },
    problem: ({ key }) => ({ detail: { key: "rotation_running", params: { id: key } }, fields: { key } })
  },
  KeyEnded: {
    code: "key_ended",
    sample: { key: 12 },
    problem: ({ key }) => ({ detail: { key: "key_ended", params: { id: key } } })
  },
  ScopeRequired: {
    code: "scope_required",
    sample: { required_scope: "read:market" },
    problem: ({ required_scope }) => ({
      detail: { key: "scope_required", params: { scope: required_scope } },
      fields: { required_scope }
    })
  },
  CrossSite: { code: "cross_site", sample: {}, problem: () => ({ detail: { key: "cross_site" } }) },
  OtherAccount: { code: "other_account", sample: {}, problem: () => ({ detail: { key: "other_account" } }) },
  LinkRefused: {
    code: "link_refused",
    sample: { reason: "used" },
    problem: ({ reason }) => ({ detail: { key: `link_${reason}` }, fields: { reason } })
  },
  UnknownTool: {
    code: "unknown_tool",
    sample: { tool: "get_riches", nearest: null },
    problem: ({ nearest, tool }) => ({ detail: { key: "unknown_tool", params: { tool, nearest } } })
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
  ConversationChanged: {
    code: "conversation_went_on",
    sample: { shown: 57, last: 59 },
    problem: ({ last, shown }) => ({
      detail: { key: "conversation_went_on", params: { shown } },
      fields: { last_message_id: last }
    })
  },
  ProposalNotFound: {
    code: "proposal_not_found",
    sample: { proposal: "p_12_1.1" },
    problem: ({ proposal }) => ({ detail: { key: "proposal_not_found", params: { id: proposal } } })
  },
  ProposalClosed: {
    code: "proposal_closed",
    sample: { proposal: "p_12_1.1", state: "expired" },
    problem: ({ proposal, state }) => ({
      detail: { key: "proposal_closed", params: { id: proposal, state } },
      fields: { state }
    })
  },
  ProposalOutdated: {
    code: "proposal_outdated",
    sample: { proposal: "p_12_1.1" },
    problem: ({ proposal }) => ({ detail: { key: "proposal_outdated", params: { id: proposal } } })
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
  UnknownSession: {
    code: "not_found",
    sample: { session: 56 },
    problem: ({ session }) => ({ detail: { key: "unknown_session", params: { id: session } } })
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
    sample: { limit: 2, upgrades: [{ plan: "pro", keys: 5 }] },
    problem: ({ limit, upgrades }) => {
      const revoke = { action: "revoke" } as const
      return {
        detail: { key: "key_limit", params: { limit } },
        fields: {
          limit,
          ways_forward: upgrades.length === 0 ? [revoke] : [revoke, { action: "upgrade", plans: upgrades }]
        }
      }
    }
  },
  RequestInProgress: {
    code: "request_in_progress",
    sample: { retryAfterMs: 1000 },
    problem: ({ retryAfterMs }) => ({
      detail: { key: "request_in_progress" },
      ...retryAfter(toSeconds(retryAfterMs))
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
    sample: { callerMessage: { key: "unsupported_media_type" } },
    problem: ({ callerMessage }) => ({ detail: callerMessage })
  },
  RateLimited: {
    code: "rate_limited",
    sample: { limit: 60, resetMs: 12_000 },
    problem: ({ limit, resetMs }) => {
      const reset = toSeconds(resetMs)
      const { fields, headers } = retryAfter(reset)
      return {
        detail: { key: "rate_limited", params: { seconds: reset } },
        fields,
        headers: { ...headers, ...exhaustedLimitHeaders(limit, reset) }
      }
    }
  },
  TooManyAttempts: {
    code: "too_many_attempts",
    sample: { retryAfterMs: 240_000 },
    problem: ({ retryAfterMs }) => {
      const after = toSeconds(retryAfterMs)
      return { detail: { key: "too_many_attempts", params: { seconds: after } }, ...retryAfter(after) }
    }
  },
  TooManyKeys: {
    code: "rate_limited",
    sample: { max: 50, retryAfterMs: 52_200_000 },
    problem: ({ max, retryAfterMs }) => {
      const after = toSeconds(retryAfterMs)
      const { fields, headers } = retryAfter(after)
      return {
        detail: { key: "too_many_keys", params: { max } },
        fields,
        headers: { ...headers, ...exhaustedLimitHeaders(max, after) }
      }
    }
  },
  TooManyStreams: {
    code: "rate_limited",
    sample: { max: 50, limit: 60, remaining: 48, resetMs: 12_000 },
    problem: ({ limit, max, remaining, resetMs }) => {
      // The wait is a fixed 30 s, because the service cannot know when a client will close an open stream.
      const { fields, headers } = retryAfter(30)
      return {
        detail: { key: "too_many_streams", params: { max } },
        fields,
        headers: {
          ...headers,
          "ratelimit-limit": String(limit),
          "ratelimit-remaining": String(remaining),
          "ratelimit-reset": String(toSeconds(resetMs))
        }
      }
    }
  },
  DailyQuotaReached: {
    code: "daily_quota_reached",
    sample: { quota: 200, renewsAt: Date.UTC(2026, 10, 22), retryAfterMs: 52_200_000 },
    problem: ({ quota, renewsAt, retryAfterMs }) => {
      const { fields, headers } = retryAfter(toSeconds(retryAfterMs))
      return {
        detail: { key: "daily_quota_reached", params: { quota } },
        fields: { quota, renews_at: new Date(renewsAt).toISOString(), ...fields },
        headers
      }
    }
  },
  HeadersTooLarge: { code: "headers_too_large", sample: {}, problem: () => ({ detail: { key: "headers_too_large" } }) },
  Fault: { code: "internal", sample: {}, problem: () => ({ detail: { key: "internal" } }) },
  TooManyLargeBodies: {
    code: "unavailable",
    sample: {},
    problem: () => ({ detail: { key: "too_many_large_bodies" }, ...retryAfter(5) })
  },
  Stopping: { code: "unavailable", sample: {}, problem: retrySoon("unavailable") },
  Starting: { code: "unavailable", sample: { dependency: "cluster" }, problem: notReadyProblem },
  NotReady: { code: "unavailable", sample: { dependency: "database" }, problem: notReadyProblem, warning: "not ready" },
  ShuttingDown: { code: "unavailable", sample: {}, problem: retrySoon("shutting_down") },
  CutOff: { code: "unavailable", sample: {}, problem: retrySoon("in_doubt") },
  ChargeInDoubt: {
    code: "unavailable",
    sample: {},
    problem: () => ({ detail: { key: "in_doubt" }, ...retryAfter(1) }),
    warning: "store unavailable"
  },
  StoreUnavailable: {
    code: "unavailable",
    sample: { store: "database", retryable: true },
    problem: () => ({ detail: { key: "unavailable" }, ...retryAfter(1) }),
    warning: "store unavailable"
  }
} satisfies { readonly [R in Rejection as R["_tag"]]: ProblemMapping<R> }

/** The error code that the service returns for an error of type `R`. */
export type CodeOf<R extends Rejection> = (typeof problemMappings)[R["_tag"]]["code"]

/** The errors that the service reports with one of the given error codes. */
export type RejectionOf<Code extends ProblemCode> = {
  readonly [R in Rejection as R["_tag"]]: CodeOf<R> extends Code ? R : never
}[Rejection["_tag"]]
