import { Context } from "effect"

/** Durations and intervals of tasks. */
export interface TaskTimes {
  /** The pause between two sweeps for due schedules and unfinished firings. */
  readonly sweepIntervalMs: number
  /** The delay after a minute's end before its prices are requested, so that they are available. */
  readonly priceDelayMs: number
  /** The maximum age of missed minutes that are still judged. */
  readonly maxCatchUpMs: number
  /** The lease of the leader. If the leader does not renew it, another process becomes the leader. */
  readonly leaseMs: number
  /**
   * The lease of a firing's runner. If the runner does not renew it, any process may take the firing. This is also the
   * interval between attempts to ask the analyst while the conversation is busy or a store is unavailable.
   */
  readonly staleMs: number
  /**
   * The interval at which a runner renews its firing and checks the answer, the task and the key. It is well below
   * `staleMs`. A task that is paused or deleted must stop within 2 seconds.
   */
  readonly renewIntervalMs: number
  /** The maximum wait, from the claim, for a busy conversation. Then a new conversation replaces it. */
  readonly maxBusyMs: number
  /** The maximum time, from the claim, in which a firing tries to begin an answer. */
  readonly maxStartMs: number
  /** The maximum time that a task is held back after a refused firing. */
  readonly maxHoldMs: number
  /**
   * The pause of a watch after a firing. Conditions that are met during the pause lead to one firing afterwards. A
   * value that flickers about its level thus notifies as often as the shortest schedule.
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
