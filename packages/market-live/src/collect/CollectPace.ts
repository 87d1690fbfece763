/** The pace of the collectors. */
export interface CollectPace {
  /** The duration of a lead. The leader renews it three times within this time. */
  readonly leaseMs: number
  /** The maximum interval at which a follower checks whether the lead is free. */
  readonly followerCheckMs: number
  /** Requests for past data in one tick, in addition to one for each subject. */
  readonly requestsPerTick: number
  /** Concurrent requests. */
  readonly concurrency: number
  /**
   * The pause if there is more to fill, and the pause after a fault, unless the next instant of the grid comes first.
   */
  readonly backlogPauseMs: number
  readonly retryPauseMs: number
  /** The number of failures in one tick after which the rest waits for the next tick. */
  readonly maxFailures: number
  /** The interval at which received stream events are written. */
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

/** The end of a tick: everything is complete, there is more to fill, or something failed. */
export type TickOutcome = "whole" | "more" | "failed"

/** Milliseconds until the next tick: the next instant of the grid, or sooner if there is more to do. */
export const pauseAfter = (
  outcome: TickOutcome,
  { everyMs, offsetMs }: { readonly everyMs: number; readonly offsetMs: number },
  { retryPauseMs, backlogPauseMs }: CollectPace,
  now: number
): number => {
  const next = (Math.floor((now - offsetMs) / everyMs) + 1) * everyMs + offsetMs - now
  return outcome === "whole" ? next : Math.min(next, outcome === "more" ? backlogPauseMs : retryPauseMs)
}
