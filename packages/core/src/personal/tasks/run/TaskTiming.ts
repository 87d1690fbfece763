import { Context } from "effect"

/** How long things of tasks last, and how often they are looked after. */
export interface TaskTimes {
  /** From the end of one look at what is due and at what nobody runs to the next. */
  readonly lookEveryMs: number
  /** How long after a minute's end its prices are asked for, so that they are there. */
  readonly settleMs: number
  /** How long minutes are made up for that nobody looked at. */
  readonly catchUpMs: number
  /** How long a process looks after tasks that does not show itself; then another one does. */
  readonly leaseMs: number
  /**
   * How long a firing is its runner's that does not show itself; then whoever finds it takes it. So long is also from
   * one try to ask the analyst to the next, while its conversation is busy or a store is away.
   */
  readonly staleMs: number
  /**
   * How often a runner renews its firing, well below `staleMs`, and checks the answer, the task and the key. A task
   * that is paused or deleted must stop within 2 seconds.
   */
  readonly renewEveryMs: number
  /** How long a busy conversation is waited for, from the claim on; then a new one takes its place. */
  readonly busyMs: number
  /** How long an answer is tried to be begun at all, from the claim on. */
  readonly beginMs: number
  /** How long a task is held back at most after a firing that was refused. */
  readonly holdMs: number
  /**
   * How long a watch fires not again after a firing: what its value does meanwhile comes to one firing afterwards. One
   * that flickers about its level tells as often as the shortest schedule.
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
