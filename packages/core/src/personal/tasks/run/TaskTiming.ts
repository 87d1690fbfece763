import { Context } from "effect"

/** The durations and intervals of tasks. */
export interface TaskTimes {
  /** The pause between two sweeps for due schedules and unfinished firings. */
  readonly sweepIntervalMs: number
  /** The delay after the end of a minute before its prices are requested, so that the prices are available. */
  readonly priceDelayMs: number
  /** The maximum age of a missed minute for which a watch is still evaluated. */
  readonly maxCatchUpMs: number
  /** The lease of the leader, after whose end another process becomes the leader. */
  readonly leaseMs: number
  /**
   * The lease of a firing's runner, after whose end any process may take over the firing. While the conversation is
   * busy or a store is unavailable, the question is sent to the analyst again at the interval of the lease.
   */
  readonly staleMs: number
  /** The interval at which a runner renews its firing and notices a paused task, well below `staleMs`. */
  readonly renewIntervalMs: number
  /** The maximum wait for a busy conversation from the firing's claim, after which a new conversation is used. */
  readonly maxBusyMs: number
  /** The maximum time from the claim in which a firing tries to start an answer. */
  readonly maxStartMs: number
  /** The maximum time for which a task does not fire after a refused firing. */
  readonly maxHoldMs: number
  /**
   * The pause of a watch after a firing, so that a value that fluctuates around its level does not notify each minute.
   * Conditions that are met during the pause cause one firing after the pause.
   */
  readonly cooldownMs: number
  readonly retentionMs: number
}

export const TaskTiming = Context.Reference<TaskTimes>("@tapeline/core/tasks/TaskTiming", {
  defaultValue: () => ({
    sweepIntervalMs: 3_000,
    priceDelayMs: 3_000,
    maxCatchUpMs: 86_400_000,
    leaseMs: 15_000,
    staleMs: 20_000,
    renewIntervalMs: 1_000,
    maxBusyMs: 600_000,
    maxStartMs: 3_600_000,
    maxHoldMs: 3_600_000,
    cooldownMs: 300_000,
    retentionMs: 30 * 86_400_000
  })
})
