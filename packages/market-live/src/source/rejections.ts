import { type Fault, malformed, seconds, unreachable } from "./fault.ts"
import type { RetryPolicy } from "./policies.ts"
import type { RawResponse } from "./transport.ts"

const maxRetryAfterMs = 24 * 3_600_000

/**
 * Returns the pause that `retry-after` requests, in milliseconds, where a date is compared with the response's `date`.
 */
export const retryAfterOf = (headers: Headers, nowMs: number): number | undefined => {
  const text = headers.get("retry-after")?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}(\.\d{1,6})?$/u.test(text)) return Math.min(maxRetryAfterMs, Math.ceil(Number(text) * 1_000))
  const until = dateOf(text)
  return until === undefined
    ? undefined
    : Math.min(maxRetryAfterMs, Math.max(0, until - (dateOfResponse(headers) ?? nowMs)))
}

/**
 * Returns the time in the `date` header, or undefined for another format, because `Date.parse` accepts almost any text.
 */
export const dateOfResponse = (headers: Headers): number | undefined => dateOf(headers.get("date") ?? "")

const dateOf = (text: string): number | undefined => {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

/** A rejection that is reported in a response's body, whatever the HTTP status. */
export interface Rejection {
  readonly failure: Fault["failure"]
  readonly reason: string
  readonly retryAfterMs?: number
}

/**
 * A 403 response that means a rate limit. `pattern` matches the text of the response. `pauseMs` is the pause if the
 * response has no `retry-after`.
 */
export interface RateLimit403 {
  readonly pattern: RegExp
  readonly pauseMs: number
  /**
   * The reason for which the firewall rejects requests. If the firewall continues to reject requests, the source counts
   * as blocked.
   */
  readonly firewall?: string
}

/** Recognises a source's rejection in a response body, or returns undefined for any other body. */
export type ReadBodyRejection = (body: unknown, status: number) => Rejection | undefined

export interface RejectionRules {
  /**
   * Parses a body for `readBodyRejection`, by default as JSON. Returns undefined if the body does not have the expected
   * format.
   */
  readonly bodyOf?: ((received: RawResponse) => unknown) | undefined
  readonly policy: Pick<RetryPolicy, "bannedMs" | "limitedMs">
  readonly readBodyRejection?: ReadBodyRejection | undefined
  readonly rateLimit403?: RateLimit403 | undefined
  readonly next?: string | undefined
  /** The environment variable of the source's API key, if the source has a key. */
  readonly variable?: string | undefined
}

export const isHtmlPage = ({ headers, text }: RawResponse): boolean =>
  /^(text\/html|application\/xhtml)/iu.test(headers.get("content-type") ?? "") ||
  /^\s*<(!doctype html|html)/iu.test(text)

export const parseJson = (text: string): unknown => {
  try {
    // The caller decodes the parsed value with a schema.
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const jsonBody = ({ text }: RawResponse): unknown => parseJson(text)

const alternative = (next: string | undefined): string => next === undefined ? "" : `; ${next} has the same data`

const blockedFault = (status: number, next: string | undefined): Fault => ({
  failure: "blocked",
  reason: `not available in this region (status ${status})${alternative(next)}`,
  canRetry: false
})

const rateLimitedFault = (
  received: RawResponse,
  defaultMs: number,
  now: number,
  why = "too many requests"
): Fault => {
  const retryAfterMs = retryAfterOf(received.headers, now) ?? defaultMs
  return {
    failure: "rate_limited",
    reason: `${why}; paused for ${seconds(retryAfterMs)} (status ${received.status})`,
    canRetry: true,
    retryAfterMs
  }
}

/**
 * The longest rate limit of a firewall. If a firewall rejects requests for longer than a rate limit, the source counts
 * as blocked.
 */
const maxFirewallMs = 900_000

const firewallFault = (
  received: RawResponse,
  defaultMs: number,
  now: number,
  why: string,
  next: string | undefined
): Fault => ({
  ...rateLimitedFault(received, defaultMs, now, why),
  blockedIfLasting: {
    afterMs: maxFirewallMs,
    reason: `${why} persistently (status ${received.status})${alternative(next)}`
  }
})

const challengePauseMs = 300_000

/**
 * Returns whether a firewall demands a browser. AWS WAF responds with status 202 and an empty body, or with status 405
 * and a page (https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge.html).
 */
const isChallenge = ({ headers, status, text }: RawResponse): boolean =>
  headers.has("x-amzn-waf-action") || (status === 202 && text.trim() === "")

const serverErrorFault = ({ headers, status }: RawResponse, now: number): Fault => {
  const retryAfterMs = retryAfterOf(headers, now)
  return { ...unreachable(`server error (status ${status})`), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const rejectedKeyFault = (status: number, variable: string | undefined): Fault =>
  variable === undefined
    ? unreachable(`the request was rejected (status ${status})`, false)
    : {
      failure: "not_configured",
      reason: `the API key was rejected: set a valid ${variable}`,
      canRetry: false,
      variable
    }

const faultOfRejection = ({ failure, reason, retryAfterMs }: Rejection, variable: string | undefined): Fault => ({
  failure,
  reason,
  canRetry: failure === "unreachable" || failure === "rate_limited",
  ...(failure === "not_configured" && variable !== undefined ? { variable } : {}),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs })
})

const searchedLength = 4_000

/**
 * Classifies a 403 as a block of the server's location, unless the body reports a rate limit or an API key was
 * rejected.
 */
const forbiddenFault = (
  received: RawResponse,
  bodyRejection: Rejection | undefined,
  rules: RejectionRules,
  now: number
): Fault => {
  const { rateLimit403, next, variable } = rules
  if (rateLimit403?.pattern.test(received.text.slice(0, searchedLength)) === true) {
    const { firewall, pauseMs } = rateLimit403
    return firewall === undefined
      ? rateLimitedFault(received, pauseMs, now)
      : firewallFault(received, pauseMs, now, firewall, next)
  }
  if (bodyRejection?.failure === "rate_limited") return faultOfRejection(bodyRejection, variable)
  return variable === undefined || isHtmlPage(received) ? blockedFault(403, next) : rejectedKeyFault(403, variable)
}

/** Returns the fault of a rejected request, by its status or body, or undefined for a successful response. */
export const rejectionOf = (received: RawResponse, rules: RejectionRules, now: number): Fault | undefined => {
  const { status } = received
  if (status === 429) return rateLimitedFault(received, rules.policy.limitedMs, now)
  if (status === 418) return rateLimitedFault(received, rules.policy.bannedMs, now)
  if (status === 451) return blockedFault(status, rules.next)
  if (isChallenge(received)) {
    return firewallFault(received, challengePauseMs, now, "its firewall requires a browser", rules.next)
  }
  const body = rules.readBodyRejection === undefined ? undefined : (rules.bodyOf ?? jsonBody)(received)
  const bodyRejection = body === undefined ? undefined : rules.readBodyRejection?.(body, status)
  if (status === 403) return forbiddenFault(received, bodyRejection, rules, now)
  if (bodyRejection !== undefined) return faultOfRejection(bodyRejection, rules.variable)
  if (status >= 200 && status < 300) return undefined
  if (status >= 500) return serverErrorFault(received, now)
  if (status < 400) return unreachable(`unexpected redirect (status ${status})`, false)
  if (status === 401 || status === 402) return rejectedKeyFault(status, rules.variable)
  return malformed(`the request was rejected (status ${status})`)
}
