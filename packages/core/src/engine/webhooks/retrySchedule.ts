import type { SendResult } from "./WebhookSender.ts"
import type { AttemptResult } from "./WebhookStore.ts"

/** The maximum time of one attempt, in ms. */
export const attemptTimeoutMs = 15_000

/** The pauses before attempts 2 to 13, in ms: a factor of 3, up to 20 hours. The pauses add up to about three days. */
const retryDelaysMs: ReadonlyArray<number> = Array.from(
  { length: 12 },
  (_, i) => Math.min(5_000 * 3 ** i, 20 * 3_600_000)
)

/** The maximum number of attempts of one delivery. */
export const maxAttempts = retryDelaysMs.length + 1

/** The maximum time in ms for which a response can delay the next attempt with `Retry-After`. */
const maxRetryAfterMs = 3_600_000

/** The maximum pause of a failing webhook, in ms. */
const maxPauseMs = 60_000

/** The time in ms without a successful attempt after which a failed delivery disables its webhook. */
const disableAfterMs = 5 * 86_400_000

/**
 * Returns the delay in ms that a `Retry-After` header requests: seconds or an HTTP date. Returns 0 for a missing or
 * malformed header.
 */
const parseRetryAfter = (text: string | null, now: number): number => {
  if (text === null) return 0
  const isDate = /^[A-Z][a-z]{2}, .* GMT$/u.test(text.trim())
  const ms = /^\d{1,9}$/u.test(text.trim()) ? Number(text) * 1_000 : isDate ? Date.parse(text) - now : NaN
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), maxRetryAfterMs)
}

/**
 * Returns the result of an attempt, for `WebhookStore.record`. `jitter` is a random number from 0 to 1, which changes
 * each delay by at most 20 %.
 */
export const attemptResultOf = (
  sent: SendResult,
  { attempt, event, failures, jitter, now }: {
    readonly event: number
    readonly attempt: number
    /** The number of failed attempts of the webhook before this attempt. */
    readonly failures: number
    readonly jitter: number
    readonly now: number
  }
): AttemptResult => {
  const status = sent._tag === "Response" ? sent.status : null
  const common = { event, attempt, status, error: sent._tag === "Response" ? null : sent.error, disableAfterMs }
  if (status !== null && status >= 200 && status < 300) {
    return { ...common, state: "delivered", delayMs: 0, pauseMs: 0, isGone: false }
  }
  // The delivery stays `waiting`, so that it continues if an operator enables the disabled webhook again.
  if (status === 410) return { ...common, state: "waiting", delayMs: 0, pauseMs: 0, isGone: true }
  const retryAfterMs = sent._tag === "Response" ? parseRetryAfter(sent.retryAfter, now) : 0
  const delayMs = retryDelaysMs[attempt - 1]
  const factor = 0.8 + 0.4 * jitter
  return {
    ...common,
    state: delayMs === undefined ? "failed" : "waiting",
    delayMs: Math.max(Math.round((delayMs ?? 0) * factor), retryAfterMs),
    pauseMs: Math.max(Math.round(Math.min(1_000 * 2 ** Math.min(failures, 10), maxPauseMs) * factor), retryAfterMs),
    isGone: false
  }
}
