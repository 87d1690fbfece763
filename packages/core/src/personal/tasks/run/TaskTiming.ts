import { Context } from "effect"

/** Durations and intervals of tasks. */
export interface TaskTimes {
  /** The pause between two sweeps for due schedules and unfinished firings. */
  readonly lookEveryMs: number
  /** The delay after a minute's end before its prices are requested, so that they are available. */
  readonly settleMs: number
  /** How far back missed minutes are judged. */
  readonly catchUpMs: number
  /** How long a leader that does not renew keeps its lead. Then another process becomes the leader. */
  readonly leaseMs: number
  /**
   * How long a runner that does not renew keeps its firing. Then any process may take the firing. This is also the
   * interval between attempts to ask the analyst while the conversation is busy or a store is unavailable.
   */
  readonly staleMs: number
  /**
   * How often a runner renews its firing and checks the answer, the task and the key. Well below `staleMs`. A task that
   * is paused or deleted must stop within 2 seconds.
   */
  readonly renewEveryMs: number
  /** How long, from the claim, a firing waits for a busy conversation. Then a new conversation replaces it. */
  readonly busyMs: number
  /** How long, from the claim, a firing tries to begin an answer. */
  readonly beginMs: number
  /** The maximum time that a task is held back after a refused firing. */
  readonly holdMs: number
  /**
   * How long a watch does not fire after a firing. Its conditions during that time lead to one firing afterwards. A
   * value that flickers about its level thus notifies as often as the shortest schedule.
   */
  readonly restMs: number
  readonly keepMs: number
}

export const TaskTiming = Context.Reference<TaskTimes>("@tapeline/core/tasks/TaskTiming", {
  defaultValue: () => ({
    lookEveryMs: 3_000,
    settleMs: 3_000,
    catchUpMs: 86_400_000,
    leaseMs: 15_000,
    staleMs: 20_000,
    renewEveryMs: 1_000,
    busyMs: 600_000,
    beginMs: 3_600_000,
    holdMs: 3_600_000,
    restMs: 300_000,
    keepMs: 30 * 86_400_000
  })
})
