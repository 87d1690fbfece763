import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"

/** How a request stands in its account's window. */
export interface WindowVerdict {
  readonly allowed: boolean
  /** Requests that the window still admits after this one. */
  readonly remaining: number
  /** Milliseconds until the window ends and a new one may start. */
  readonly resetMs: number
}

/**
 * Per-account windows of requests, shared by all nodes. A window starts with the first request after the last one
 * ended, lasts `windowMs`, and admits `limit` requests; one more is refused and counts for nothing. Each `take` is
 * atomic: however many ask at once, from however many nodes, a window never admits more than `limit`. The limit is
 * the caller's at each take: raised, the window admits more at once; lowered, it admits no more until it is below.
 * Time is the store's own, so that nodes with differing clocks agree.
 * A window that somebody holds delays its own account alone, whose `take` then fails.
 */
export class RequestWindowStore extends Context.Service<RequestWindowStore, {
  readonly take: (request: {
    readonly account: number
    readonly limit: number
    readonly windowMs: number
  }) => Effect.Effect<WindowVerdict, StoreUnavailable>
}>()("@tapeline/core/access/RequestWindowStore") {}
