/** The intervals and limits of the collectors. */
export interface CollectPace {
  /** The duration of a leadership lease, within which the leader renews the lease three times. */
  readonly leaseMs: number
  /** The maximum interval at which a follower checks whether the leadership is free. */
  readonly followerCheckMs: number
  /** The maximum number of requests for past data in one tick, in addition to one request per subject. */
  readonly requestsPerTick: number
  readonly concurrency: number
  /** The pause before the next tick is `backlogPauseMs` if data is missing, and `retryPauseMs` after a failure. */
  readonly backlogPauseMs: number
  readonly retryPauseMs: number
  /** The number of failures in one tick after which the remaining requests wait for the next tick. */
  readonly maxFailures: number
  /** The interval at which received stream events are written to the store. */
  readonly streamWriteMs: number
}

export const defaultCollectPace: CollectPace = {
  leaseMs: 30_000,
  followerCheckMs: 5_000,
  requestsPerTick: 60,
  concurrency: 4,
  backlogPauseMs: 5_000,
  retryPauseMs: 15_000,
  maxFailures: 3,
  streamWriteMs: 5_000
}

/**
 * The outcome of a tick: all data is complete (`whole`), more data is missing (`more`), or a request failed (`failed`).
 */
export type TickOutcome = "whole" | "more" | "failed"

/**
 * Returns the milliseconds until a collector's next tick. If data is missing or a request failed, the next tick comes
 * sooner than scheduled.
 */
export const pauseAfter = (
  outcome: TickOutcome,
  { everyMs, offsetMs }: { readonly everyMs: number; readonly offsetMs: number },
  { retryPauseMs, backlogPauseMs }: CollectPace,
  now: number
): number => {
  const next = (Math.floor((now - offsetMs) / everyMs) + 1) * everyMs + offsetMs - now
  return outcome === "whole" ? next : Math.min(next, outcome === "more" ? backlogPauseMs : retryPauseMs)
}
