import type { Firing } from "./firing.ts"
import type { Task } from "./task.ts"
import type { Claim, FiringEnd } from "./TaskStore.ts"

/* The effects of a firing's claim and end on its task. All stores use these functions. */

/** The effect of a claim. Null if the claim fails. */
export interface Claimed {
  readonly task: Task
  /** Null if the task has already fired for this `due`. The task then only advances to the next state. */
  readonly firing: Firing | null
}

/** Whether the task's state is still the one that was read. A schedule must also be due by the store's clock. */
const waitsFor = (task: Task, { dueAt, next }: Claim, now: number): boolean =>
  task.kind === "watch"
    ? next.kind === "watch" && next.from === task.watch.checkedTo
    : next.kind === "schedule" && next.from === task.nextAt && dueAt <= now

/** Decides a claim on the current task. `hasFired` is true if a firing with the same `due` is stored. */
export const claimed = (
  task: Task,
  claim: Claim,
  hasFired: boolean,
  { id, now }: { readonly id: number; readonly now: number }
): Claimed | null => {
  const isHeld = task.notBefore !== null && task.notBefore > now
  if (task.version !== claim.version || task.status !== "active" || isHeld || !waitsFor(task, claim, now)) return null
  const { dueAt, missed, next, observed, question } = claim
  const isOver = task.maxRuns !== null && task.runs + 1 >= task.maxRuns
  const moved = {
    ...task,
    notBefore: next.kind === "watch" && next.restMs > 0 && !hasFired && !isOver ? now + next.restMs : null,
    ...(next.kind === "watch" ? { watch: next.watch } : { nextAt: next.nextAt })
  } as Task // each kind gets the state of its own kind
  if (hasFired) return { task: moved, firing: null }
  const runs = task.runs + 1
  const firing: Firing = {
    id,
    task: task.id,
    account: task.account,
    due: claim.due,
    dueAt,
    lateByMs: Math.max(0, now - dueAt),
    missed,
    observed,
    title: task.title,
    question,
    lang: task.lang,
    key: task.key,
    conversation: task.conversation,
    claimedAt: now,
    epoch: 1,
    renewedAt: now,
    state: "claimed",
    generation: null,
    outcome: null
  }
  return { task: { ...moved, runs, status: isOver ? "done" : "active" }, firing }
}

/** Takes a run back from a task. */
const givenBack = (task: Task, notBefore: number): Task => {
  const runs = Math.max(0, task.runs - 1)
  const isOver = task.maxRuns !== null && runs >= task.maxRuns
  const status = task.status === "done" && !isOver ? "active" : task.status
  const back = { runs, status, notBefore } as const
  return task.kind === "watch" && !task.watch.armed
    ? { ...task, ...back, watch: { ...task.watch, armed: true, arming: task.watch.arming + 1 } }
    : { ...task, ...back }
}

/**
 * Returns the task after the end of a firing. Its version grows if the state of its condition or its status changes.
 * The refusal of a paused task is not recorded in `last`, because it sends no notification. The next refusal then
 * notifies the account.
 */
export const ended = (task: Task, { dueAt, lateByMs }: Firing, { giveBack, outcome, pauses }: FiringEnd): Task => {
  const after = giveBack === null ? task : givenBack(task, giveBack.notBefore)
  const status = pauses !== null && after.status === "active" && task.key === pauses.key ? "paused" : after.status
  const version = giveBack !== null || status !== task.status ? task.version + 1 : task.version
  const last = outcome === "refused" && task.status === "paused" ? task.last : { dueAt, lateByMs, outcome }
  return { ...after, status, version, last }
}

/**
 * Returns the notification of a firing that ends. Null in these cases: the task is deleted or paused; the end should
 * have paused the task, but another key has changed it; the firing and the one before were both refused.
 */
export const notificationAtEnd = (
  before: Task | null,
  after: Task | null,
  { notification, outcome, pauses }: FiringEnd
): FiringEnd["notification"] => {
  if (before === null || before.status === "paused") return null
  if (pauses !== null && after?.status !== "paused") return null
  return outcome === "refused" && before.last?.outcome === "refused" ? null : notification
}
