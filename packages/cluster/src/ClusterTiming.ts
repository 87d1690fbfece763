import { Context } from "effect"

/** How soon nodes find out about one another. */
export interface ClusterTiming {
  /** A node that has not said for so long that it lives has left: what it ran is placed elsewhere. */
  readonly expireMs: number
  /** How often a node reads what has been placed with it. It reads twice as often who is there. */
  readonly lookEveryMs: number
  /** How long a stopping node waits for what it runs to leave off. */
  readonly stopWithinMs: number
}

export const ClusterTiming = Context.Reference<ClusterTiming>("@tapeline/cluster/ClusterTiming", {
  defaultValue: () => ({ expireMs: 4_000, lookEveryMs: 1_000, stopWithinMs: 500 })
})
