import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../store/errors.ts"

/** The decision on a request, and the state of its account's rate-limit window. */
export interface RateLimitDecision {
  readonly isAllowed: boolean
  /** Requests that the window still admits after this request. */
  readonly remaining: number
  /** Milliseconds until the window ends and a new window can start. */
  readonly resetMs: number
}

/**
 * Stores the rate-limit windows of accounts, shared by all nodes. A window starts with the first request after the
 * previous window ended, lasts `windowMs`, and admits `limit` requests. A rejected request is not counted. Each `take`
 * is atomic: concurrent requests of any number of nodes never exceed `limit`. Each `take` applies its own limit. A
 * higher limit admits more requests immediately; a lower limit admits requests only while the count is below it. The
 * store's own clock is used, so that nodes with different clocks agree. A locked window delays only its own account:
 * then `take` fails.
 */
export class RateLimitStore extends Context.Service<RateLimitStore, {
  readonly take: (request: {
    readonly account: number
    readonly limit: number
    readonly windowMs: number
  }) => Effect.Effect<RateLimitDecision, StoreUnavailable>
}>()("@tapeline/core/access/RequestWindowStore") {}
