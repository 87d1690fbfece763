import type {
  CallRefusal,
  InvalidKey,
  KeyLimit,
  Message,
  PlanNotConfigured,
  RateLimited,
  UnknownAccount,
  UnknownKey,
  UnknownPlan
} from "@tapeline/core"
import { InvalidArguments, say, sayIssues } from "@tapeline/core"
import { Cause, Effect, Predicate, Result } from "effect"
import type { HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { BodyRefusal } from "./body.ts"
import { currentExchange, type Exchange } from "./exchange.ts"
import { type ProblemParts, problemResponse } from "./problem.ts"

/** Everything that an endpoint of this service can be refused with. */
export type Refusal =
  | CallRefusal
  | InvalidKey
  | RateLimited
  | BodyRefusal
  | UnknownAccount
  | UnknownKey
  | UnknownPlan
  | PlanNotConfigured
  | KeyLimit

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

/** An unknown plan is a wrong argument like any other. */
const invalidPlan = (detail: Message, { language }: Exchange): ProblemParts => ({
  code: "invalid_arguments",
  detail,
  fields: { issues: [{ path: ["plan"], message: say(detail, language) }] }
})

/** How each refusal looks over HTTP. */
const problems: {
  readonly [Tag in Refusal["_tag"]]: (
    refusal: Extract<Refusal, { readonly _tag: Tag }>,
    exchange: Exchange
  ) => ProblemParts
} = {
  UserIdNotAccepted: () => ({ code: "user_id_not_accepted", detail: { key: "user_id_not_accepted" } }),
  InvalidBody: () => ({ code: "invalid_body", detail: { key: "invalid_body" } }),
  InvalidArguments: (refusal) => ({
    code: "invalid_arguments",
    detail: { key: "invalid_arguments", params: { count: refusal.issues.length } },
    fields: { issues: refusal.issues }
  }),
  IdempotencyKeyReused: () => ({ code: "idempotency_key_reused", detail: { key: "idempotency_key_reused" } }),
  InvalidKey: () => ({
    code: "invalid_key",
    detail: { key: "invalid_key" },
    headers: { "www-authenticate": "Bearer" }
  }),
  OverLimit: (refusal) => {
    const wait = { action: "wait", renews_at: new Date(refusal.renewsAt).toISOString() }
    return {
      code: "over_limit",
      detail: { key: "over_limit", params: { price: refusal.price, left: refusal.credits_left } },
      fields: {
        price: refusal.price,
        credits_left: refusal.credits_left,
        ways_forward: refusal.upgrades.length === 0 ? [wait] : [{ action: "upgrade", plans: refusal.upgrades }, wait]
      }
    }
  },
  ScopeRequired: (refusal) => ({
    code: "scope_required",
    detail: { key: "scope_required", params: { scope: refusal.required_scope } },
    fields: { required_scope: refusal.required_scope }
  }),
  UnknownTool: (refusal) => ({ code: "unknown_tool", detail: { key: "unknown_tool", params: { tool: refusal.tool } } }),
  UnknownAccount: (refusal) => ({
    code: "not_found",
    detail: { key: "unknown_account", params: { id: refusal.account } }
  }),
  UnknownKey: (refusal) => ({ code: "not_found", detail: { key: "unknown_key", params: { id: refusal.key } } }),
  UnknownPlan: (refusal, exchange) =>
    invalidPlan({ key: "unknown_plan", params: { plan: refusal.plan, known: refusal.known.join(", ") } }, exchange),
  PlanNotConfigured: (refusal) => ({
    code: "unavailable",
    detail: { key: "plan_not_configured", params: { plan: refusal.plan } },
    // A configuration that is being rolled out takes longer than a moment.
    headers: { "retry-after": "30" }
  }),
  KeyLimit: (refusal) => ({
    code: "key_limit",
    detail: { key: "key_limit", params: { limit: refusal.limit } },
    fields: { limit: refusal.limit }
  }),
  RequestInProgress: (refusal) => ({
    code: "request_in_progress",
    detail: { key: "request_in_progress" },
    headers: { "retry-after": String(seconds(refusal.retryAfterMs)) }
  }),
  PayloadTooLarge: (refusal) => ({
    code: "payload_too_large",
    detail: { key: "payload_too_large", params: { limit: refusal.limit } },
    fields: { limit_bytes: refusal.limit },
    // What is left of the body is not read, so the connection cannot be used again.
    headers: { connection: "close" }
  }),
  UnsupportedMediaType: () => ({ code: "unsupported_media_type", detail: { key: "unsupported_media_type" } }),
  RateLimited: (refusal) => {
    const wait = seconds(refusal.resetMs)
    return {
      code: "rate_limited",
      detail: { key: "rate_limited", params: { seconds: wait } },
      fields: { retry_after_seconds: wait },
      headers: {
        "retry-after": String(wait),
        "ratelimit-limit": String(refusal.limit),
        "ratelimit-remaining": "0",
        "ratelimit-reset": String(wait)
      }
    }
  },
  StoreUnavailable: () => ({ code: "unavailable", detail: { key: "unavailable" }, headers: { "retry-after": "1" } })
}

const isRefusal = (error: unknown): error is Refusal =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" && Object.hasOwn(problems, error._tag)

/** What a declared path parameter or query broke; security middleware sees it inside a wrapper. */
const schemaErrorOf = (error: unknown): HttpApiError.HttpApiSchemaError | undefined =>
  HttpApiError.HttpApiSchemaError.is(error)
    ? error
    : Predicate.hasProperty(error, "error") && HttpApiError.HttpApiSchemaError.is(error.error)
    ? error.error
    : undefined

/** The response to a refusal, in the exchange's language. */
export const refusalResponse = (exchange: Exchange, refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  // The table's entry of a tag takes the refusal of that tag; a union cannot say so.
  const problem = problems[refusal._tag] as (refusal: Refusal, exchange: Exchange) => ProblemParts
  return problemResponse(exchange, problem(refusal, exchange))
}

/**
 * Turns whatever a handler fails with into its response: a refusal into its problem, anything else into a 500 that
 * says nothing of the cause (the log does). An interruption goes on.
 */
export const respond = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(handler, (cause) =>
    Effect.flatMap(currentExchange, (exchange) => {
      if (Cause.hasInterrupts(cause)) return Effect.interrupt
      const failure = Cause.findError(cause)
      if (Result.isSuccess(failure) && isRefusal(failure.success)) {
        const response = refusalResponse(exchange, failure.success)
        return failure.success._tag === "StoreUnavailable"
          ? Effect.as(Effect.logWarning("store unavailable", cause), response)
          : Effect.succeed(response)
      }
      const error = schemaErrorOf(Cause.squash(cause))
      if (error !== undefined) {
        if (error.kind === "Params") {
          return Effect.succeed(problemResponse(exchange, { code: "not_found", detail: { key: "not_found" } }))
        }
        if (error.kind === "Query") {
          const issues = sayIssues(error.cause.issue, exchange.language)
          return Effect.succeed(refusalResponse(exchange, new InvalidArguments({ issues })))
        }
      }
      return Effect.as(
        Effect.logError("unexpected failure", cause),
        problemResponse(exchange, { code: "internal", detail: { key: "internal" } })
      )
    }))
