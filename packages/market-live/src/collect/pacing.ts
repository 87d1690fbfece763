/** The pace of the collectors. */
export interface CollectPace {
  /** The duration of a lead. The leader renews it three times within this time. */
  readonly leaseMs: number
  /** The maximum interval at which a follower checks whether the lead is free. */
  readonly followMs: number
  /** Requests for past data in one tick, in addition to one for each subject. */
  readonly questionsATick: number
  /** Concurrent requests. */
  readonly concurrency: number
  /**
   * The pause if there is more to fill, and the pause after a fault, unless the next instant of the grid comes first.
   */
  readonly moreMs: number
  readonly againMs: number
  /** The number of failures in one tick after which the rest waits for the next tick. */
  readonly mostFailures: number
  /** The interval at which received stream events are written. */
  readonly streamMs: number
}

export const defaultCollectPace: CollectPace = {
  leaseMs: 30_000,
  followMs: 5_000,
  questionsATick: 60,
  concurrency: 4,
  moreMs: 5_000,
  againMs: 15_000,
  mostFailures: 3,
  streamMs: 5_000
}

/** The end of a tick: everything is complete, there is more to fill, or something failed. */
export type Ended = "whole" | "more" | "failed"

/** Milliseconds until the next tick: the next instant of the grid, or sooner if there is more to do. */
export const pauseAfter = (
  ended: Ended,
  { everyMs, offsetMs }: { readonly everyMs: number; readonly offsetMs: number },
  { againMs, moreMs }: CollectPace,
  now: number
): number => {
  const next = (Math.floor((now - offsetMs) / everyMs) + 1) * everyMs + offsetMs - now
  return ended === "whole" ? next : Math.min(next, ended === "more" ? moreMs : againMs)
}
