import { Context } from "effect"

/** Heartbeat and polling times of the nodes in a cluster. */
export interface ClusterTiming {
  /** The time without a heartbeat, in ms, after which a node counts as failed and other nodes take over its runs. */
  readonly heartbeatTtlMs: number
  /** The interval in ms at which a node polls for its assigned runs; the list of nodes is polled twice as often. */
  readonly pollIntervalMs: number
  /** The maximum time that a stopping node waits for its runs to stop, in ms. */
  readonly stopTimeoutMs: number
}

export const ClusterTiming = Context.Reference<ClusterTiming>("@tapeline/cluster/ClusterTiming", {
  defaultValue: () => ({ heartbeatTtlMs: 4_000, pollIntervalMs: 1_000, stopTimeoutMs: 500 })
})
