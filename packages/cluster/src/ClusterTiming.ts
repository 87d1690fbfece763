import { Context } from "effect"

/** How quickly nodes detect each other, in milliseconds. */
export interface ClusterTiming {
  /** A node without a heartbeat for this time is considered gone. Its runs are placed on other nodes. */
  readonly expireMs: number
  /** How often a node polls for runs that are placed on it. It polls the list of nodes twice as often. */
  readonly lookEveryMs: number
  /** How long a stopping node waits for its runs to stop. */
  readonly stopWithinMs: number
}

export const ClusterTiming = Context.Reference<ClusterTiming>("@tapeline/cluster/ClusterTiming", {
  defaultValue: () => ({ expireMs: 4_000, lookEveryMs: 1_000, stopWithinMs: 500 })
})
