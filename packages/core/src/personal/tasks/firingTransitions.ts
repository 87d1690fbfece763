import type { Firing } from "./firing.ts"
import type { Task } from "./task.ts"
import type { Claim, FiringEnd } from "./TaskStore.ts"

/* The effects of a firing's claim and end on the task, for all stores. */

/** The task and its new firing after a successful claim. */
export interface ClaimResult {
  readonly task: Task
  /** The claimed firing, or null if the task has already fired for `due`. */
  readonly firing: Firing | null
}

/**
 * Returns whether the task's `checkedTo` or `nextAt` still equals `next.from`. A schedule must also be due by the
 * store's clock.
 */
const isClaimCurrent = (task: Task, { dueAt, next }: Claim, now: number): boolean =>
  task.kind === "watch"
    ? next.kind === "watch" && next.from === task.watch.checkedTo
    : next.kind === "schedule" && next.from === task.nextAt && dueAt <= now

/**
 * Decides whether a claim succeeds. `hasFired` means that a firing of the task with an equal `due` is already stored.
 */
export const applyClaim = (
  task: Task,
  claim: Claim,
  hasFired: boolean,
  { id, now }: { readonly id: number; readonly now: number }
): ClaimResult | null => {
  const isOnHold = task.notBefore !== null && task.notBefore > now
  if (task.version !== claim.version || task.status !== "active" || isOnHold || !isClaimCurrent(task, claim, now)) {
    return null
  }
  const { dueAt, missed, next, observed, question } = claim
  const hasUsedAllRuns = task.maxRuns !== null && task.runs + 1 >= task.maxRuns
  const advancedTask = {
    ...task,
    notBefore: next.kind === "watch" && next.cooldownMs > 0 && !hasFired && !hasUsedAllRuns
      ? now + next.cooldownMs
      : null,
    ...(next.kind === "watch" ? { watch: next.watch } : { nextAt: next.nextAt })
  } as Task // `next.kind` is the kind of the task
  if (hasFired) return { task: advancedTask, firing: null }
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
  return { task: { ...advancedTask, runs, status: hasUsedAllRuns ? "done" : "active" }, firing }
}

/** Decreases the run count of a task whose firing does not count as a run. */
const returnRunTo = (task: Task, notBefore: number): Task => {
  const runs = Math.max(0, task.runs - 1)
  const hasUsedAllRuns = task.maxRuns !== null && runs >= task.maxRuns
  const status = task.status === "done" && !hasUsedAllRuns ? "active" : task.status
  const returnedFields = { runs, status, notBefore } as const
  return task.kind === "watch" && !task.watch.armed
    ? { ...task, ...returnedFields, watch: { ...task.watch, armed: true, arming: task.watch.arming + 1 } }
    : { ...task, ...returnedFields }
}

/**
 * Returns the task after the end of a firing. The version increases if the firing does not count as a run, or if the
 * task's status changes. A refused firing of a paused task does not change `last`, because no notification was sent.
 */
export const applyEnd = (
  task: Task,
  { dueAt, lateByMs }: Firing,
  { returnRun, outcome, pauseTask }: FiringEnd
): Task => {
  const taskAfter = returnRun === null ? task : returnRunTo(task, returnRun.notBefore)
  const status = pauseTask !== null && taskAfter.status === "active" && task.key === pauseTask.key
    ? "paused"
    : taskAfter.status
  const version = returnRun !== null || status !== task.status ? task.version + 1 : task.version
  const last = outcome === "refused" && task.status === "paused" ? task.last : { dueAt, lateByMs, outcome }
  return { ...taskAfter, status, version, last }
}

/**
 * Returns the notification of an ended firing. Returns null for a deleted or paused task. Returns null if the firing's
 * key is gone, but the task has another key now. If consecutive firings are refused, only the first refused firing has
 * a notification.
 */
export const selectNotification = (
  taskBefore: Task | null,
  taskAfter: Task | null,
  { notification, outcome, pauseTask }: FiringEnd
): FiringEnd["notification"] => {
  if (taskBefore === null || taskBefore.status === "paused") return null
  if (pauseTask !== null && taskAfter?.status !== "paused") return null
  return outcome === "refused" && taskBefore.last?.outcome === "refused" ? null : notification
}
