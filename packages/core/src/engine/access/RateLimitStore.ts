import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** Whether the rate limit allows a request, and the state of the rate-limit window. */
export interface RateLimitDecision {
  readonly isAllowed: boolean
  /** The number of requests that the rate-limit window still admits after this request. */
  readonly remaining: number
  /** The time in ms until the rate-limit window ends. */
  readonly resetMs: number
}

/**
 * Stores the rate-limit windows of accounts and keys, shared by all nodes. The first request after the end of a window
 * starts a new window. The window lasts `windowMs` and admits `limit` requests. Rejected requests do not count towards
 * the limit.
 *
 * Each `take` is atomic: concurrent requests on any number of nodes never exceed `limit`. Each `take` applies the
 * `limit` of its own request, so a raised limit takes effect immediately. The store uses its own clock, so that nodes
 * with different clocks agree. If the rate-limit window of an account is locked, only the account's own `take` calls
 * fail.
 */
export class RateLimitStore extends Context.Service<RateLimitStore, {
  readonly take: (request: {
    readonly account: number
    /** Selects the rate-limit window of a key of the account instead of the window of the account. */
    readonly key?: number | undefined
    readonly limit: number
    readonly windowMs: number
  }) => Effect.Effect<RateLimitDecision, StoreUnavailable>
}>()("@tapeline/core/access/RateLimitStore") {}
