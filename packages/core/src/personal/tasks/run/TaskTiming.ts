import { Context } from "effect"

/** The durations and intervals of tasks. */
export interface TaskTimes {
  /** The pause between two sweeps for due schedules and unfinished firings. */
  readonly sweepIntervalMs: number
  /**
   * The delay after the end of a minute before the prices of the minute are requested, so that the prices are
   * available.
   */
  readonly priceDelayMs: number
  /** The maximum age of missed minutes that are still evaluated. */
  readonly maxCatchUpMs: number
  /** The lease of the leader. If the leader does not renew the lease, another process becomes the leader. */
  readonly leaseMs: number
  /**
   * The lease of a firing's runner. If the runner does not renew the lease, any process may take over the firing. While
   * the conversation is busy or a store is unavailable, the question is sent to the analyst again at this interval.
   */
  readonly staleMs: number
  /**
   * The interval at which a runner renews its firing and checks the answer, the task and the key. The interval is well
   * below `staleMs`. The firing of a task that is paused or deleted must stop within 2 seconds.
   */
  readonly renewIntervalMs: number
  /**
   * The maximum wait for a busy conversation, from the claim of the firing. After this time, a new conversation
   * replaces the busy conversation.
   */
  readonly maxBusyMs: number
  /** The maximum time from the claim in which a firing tries to start an answer. */
  readonly maxStartMs: number
  /** The maximum time for which a task does not fire after a refused firing. */
  readonly maxHoldMs: number
  /**
   * The pause of a watch after a firing. Conditions that are met during the pause cause one firing after the pause. A
   * value that fluctuates around its level thus notifies as often as the shortest schedule.
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
