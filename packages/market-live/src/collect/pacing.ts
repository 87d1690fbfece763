/** How hard the collectors try. */
export interface CollectPace {
  /** Who leads a source has it for so long, and asks again three times within it. */
  readonly leaseMs: number
  /** A follower asks at least so often whether the source is free. */
  readonly followMs: number
  /** Questions about the past of one tick, beside one for each subject. */
  readonly questionsATick: number
  /** Questions at a time. */
  readonly concurrency: number
  /** Where more is to be filled, and after a fault, it goes on so soon, if the grid does not come first. */
  readonly moreMs: number
  readonly againMs: number
  /** Failures of one tick after which the rest waits for the next one. */
  readonly mostFailures: number
  /** What was heard on a stream is written so often. */
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

/** How a tick ended: all is there, there is more to fill, or something failed. */
export type Ended = "whole" | "more" | "failed"

/** Until the next tick: the next instant of the grid, or sooner where there is something to do. */
export const pauseAfter = (
  ended: Ended,
  { everyMs, offsetMs }: { readonly everyMs: number; readonly offsetMs: number },
  { againMs, moreMs }: CollectPace,
  now: number
): number => {
  const next = (Math.floor((now - offsetMs) / everyMs) + 1) * everyMs + offsetMs - now
  return ended === "whole" ? next : Math.min(next, ended === "more" ? moreMs : againMs)
}
