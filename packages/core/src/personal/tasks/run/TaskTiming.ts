import { Context } from "effect"

/** The durations and intervals of tasks. */
export interface TaskTimes {
  /** The pause between two sweeps for due schedules and unfinished firings. */
  readonly sweepIntervalMs: number
  /** The delay after the end of a minute before its prices are requested, so that the prices are available. */
  readonly priceDelayMs: number
  /** The maximum age of a missed minute for which a watch is still evaluated. */
  readonly maxCatchUpMs: number
  /** The time after which another process can become the leader if the leader does not renew its lease, in ms. */
  readonly leaseMs: number
  /**
   * The time without a renewal after which any process may take over a firing, in ms. `staleMs` is also the pause
   * between attempts to start an answer while the conversation is busy or a store is unavailable.
   */
  readonly staleMs: number
  /**
   * The interval at which a runner renews its firing and checks whether the task is paused. `renewIntervalMs` must be
   * well below `staleMs`. The firing of a paused or deleted task must stop within 2 s, so `renewIntervalMs` must be at
   * most 2 s.
   */
  readonly renewIntervalMs: number
  /**
   * The maximum time after the claim for which a firing waits for a busy conversation. If the conversation is busy for
   * longer, the firing gets a new conversation.
   */
  readonly maxBusyMs: number
  /** The time after the claim at which a firing gives up starting an answer. */
  readonly maxStartMs: number
  /** The maximum time for which a task does not fire after a refused firing. */
  readonly maxHoldMs: number
  /**
   * The time for which a watch does not fire again after a firing. The cooldown prevents a notification in each minute
   * while a value fluctuates around its level. If the condition was met during the pause, the watch fires once after
   * the pause.
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
