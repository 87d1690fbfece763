import { Context } from "effect"

/** How quickly nodes detect each other, in milliseconds. */
export interface ClusterTiming {
  /** A node without a heartbeat for this time is considered gone. Its runs are placed on other nodes. */
  readonly heartbeatTtlMs: number
  /** How often a node polls for runs that are placed on it. It polls the list of nodes twice as often. */
  readonly pollIntervalMs: number
  /** How long a stopping node waits for its runs to stop. */
  readonly stopTimeoutMs: number
}

export const ClusterTiming = Context.Reference<ClusterTiming>("@tapeline/cluster/ClusterTiming", {
  defaultValue: () => ({ heartbeatTtlMs: 4_000, pollIntervalMs: 1_000, stopTimeoutMs: 500 })
})
