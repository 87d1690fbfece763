import { makeTitle } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import {
  applyClaim,
  applyEnd,
  changeActor,
  type Claim,
  decideTask,
  type Firing,
  type FiringEnd,
  type FiringFence,
  maxNotifications,
  type Notification,
  type RenewalResult,
  selectNotification,
  type Task,
  type TaskChange,
  type TaskChangeError,
  type TaskChangeResult,
  taskLimits,
  type WatchUpdate,
  writeRetentionMs
} from "@tapeline/core/personal"
import { Result } from "effect"
import { hasActorEnded, isKeyLimited } from "./actors.ts"
import { addMessage, type ConversationRow, findConversation } from "./agentTables.ts"
import type { MemoryState } from "./MemoryState.ts"
import { type FiringRow, getAccountNotifications, makeCallKey, type TaskTables } from "./taskTables.ts"

/* Each change of a task or a firing is one synchronous step. */

type State = MemoryState["Service"]

const getTasks = ({ tasks }: TaskTables, account: number) =>
  [...tasks.values()].filter(({ task }) => task.account === account)

/** Stores a task. If the account has too many finished tasks, removes the oldest finished tasks. */
const putTask = (tables: TaskTables, task: Task, now: number): void => {
  const isDone = task.status === "done"
  tables.tasks.set(task.id, { task, doneAt: isDone ? tables.tasks.get(task.id)?.doneAt ?? now : null })
  if (!isDone) return
  const doneTasks = getTasks(tables, task.account).filter(({ doneAt }) => doneAt !== null)
  doneTasks.sort((a, b) => b.doneAt! - a.doneAt! || b.task.id - a.task.id)
  for (const { task: { id } } of doneTasks.slice(taskLimits.done)) tables.tasks.delete(id)
}

const openConversation = (
  { agent }: State,
  { account, id, lang, title }: {
    readonly account: number
    readonly id: number
    readonly lang: Language
    title: string
  },
  now: number
): ConversationRow => {
  const conversationFields = { title: makeTitle(title), mode: "analyst", lang } as const
  const row: ConversationRow = {
    id,
    account,
    ...conversationFields,
    createdAt: now,
    updatedAt: now,
    summary: null,
    scopes: ["read:personal"]
  }
  agent.conversations.set(id, row)
  return row
}

export const writeTask = (
  state: State,
  account: number,
  callId: string,
  change: TaskChange,
  now: number
): Result.Result<TaskChangeResult, TaskChangeError> => {
  const { agent, tasks: tables } = state
  const identity = makeCallKey(account, callId)
  const existing = tables.writes.get(identity)
  if (existing !== undefined && existing.at > now - writeRetentionMs) return Result.succeed(existing.result)
  const existingTask = change._tag === "Create" ? undefined : tables.tasks.get(change.id)?.task
  const decision = decideTask(account, change, {
    task: existingTask?.account === account ? existingTask : null,
    openTasks: getTasks(tables, account).filter(({ task }) => task.status !== "done").length,
    hasConversation: change._tag === "Create" && change.conversation !== null &&
      findConversation(agent, account, change.conversation) !== null,
    hasEnded: hasActorEnded(state, account, changeActor(change), now),
    isKeyLimited: isKeyLimited(state, account, changeActor(change)),
    isFiring: [...tables.firings.values()].some(({ firing }) =>
      firing.task === existingTask?.id && firing.state !== "ended"
    )
  }, { id: ++tables.lastIds.task, conversation: ++agent.lastIds.conversation, now })
  if (Result.isFailure(decision)) return Result.fail(decision.failure)
  const { effects, result } = decision.success
  if (effects.put !== undefined) putTask(tables, effects.put, now)
  if (effects.put !== undefined && effects.createsConversation === true) {
    openConversation(state, { ...effects.put, id: effects.put.conversation }, now)
  }
  if (effects.put !== undefined && effects.notification !== undefined) {
    const { conversation, id } = effects.put
    addNotification(tables, { account, task: id }, { ...effects.notification, time: now, conversation })
    tables.notices.wake(account)
  }
  if (effects.remove !== undefined) tables.tasks.delete(effects.remove)
  tables.writes.set(identity, { result: result, at: now })
  return Result.succeed(result)
}

export const storeObservations = ({ tasks }: TaskTables, observed: ReadonlyArray<WatchUpdate>): void => {
  for (const { previousCheckedTo, task: id, version, watch } of observed) {
    const row = tasks.get(id)
    if (row?.task.kind !== "watch" || row.task.version !== version || row.task.watch.checkedTo !== previousCheckedTo) {
      continue
    }
    row.task = { ...row.task, watch }
  }
}

export const claimFiring = (
  { queuedEvents, tasks: tables }: State,
  request: Claim,
  now: number
): Firing | null => {
  const row = tables.tasks.get(request.task)
  if (row === undefined) return null
  const hasFired = [...tables.firings.values()].some(({ firing }) =>
    firing.task === request.task && firing.due === request.due
  )
  const result = applyClaim(row.task, request, hasFired, { id: tables.lastIds.firing + 1, now })
  if (result === null) return null
  putTask(tables, result.task, now)
  if (result.firing === null) return null
  tables.lastIds.firing += 1
  tables.firings.set(result.firing.id, { firing: result.firing, endedAt: null })
  const { account, conversation, id: firing, task } = result.firing
  queuedEvents.push({ type: "task.fired", account, target: `task ${task}`, after: { firing, conversation }, time: now })
  return result.firing
}

export const takeFiring = ({ firings }: TaskTables, id: number, staleMs: number, now: number): Firing | null => {
  const row = firings.get(id)
  if (row === undefined || row.firing.state === "ended" || row.firing.renewedAt > now - staleMs) return null
  const { epoch, renewedAt } = row.firing
  row.firing = { ...row.firing, epoch: epoch + 1, renewedAt: Math.max(renewedAt, now) }
  return row.firing
}

const findHeld = ({ firings }: TaskTables, { epoch, firing }: FiringFence): FiringRow | null => {
  const row = firings.get(firing)
  return row !== undefined && row.firing.state !== "ended" && row.firing.epoch === epoch ? row : null
}

/**
 * Changes and renews a firing of a task. If the fencing token is outdated, the function changes nothing and returns
 * null.
 */
export const changeFiring = (
  tables: TaskTables,
  fence: FiringFence,
  changes: Partial<Firing>,
  now: number
): RenewalResult | null => {
  const row = findHeld(tables, fence)
  if (row === null) return null
  row.firing = { ...row.firing, ...changes, renewedAt: Math.max(row.firing.renewedAt, now) }
  const currentTask = tables.tasks.get(row.firing.task)
  return {
    now,
    task: currentTask === undefined ? null : { key: currentTask.task.key, status: currentTask.task.status }
  }
}

/**
 * Creates a conversation for a firing of a task. If the task still exists, the function also stores the conversation in
 * the task.
 */
const openFiringConversation = (state: State, row: FiringRow, now: number): ConversationRow => {
  const { account, lang, task, title } = row.firing
  const conversation = openConversation(state, { account, lang, title, id: ++state.agent.lastIds.conversation }, now)
  row.firing = { ...row.firing, conversation: conversation.id }
  const currentTask = state.tasks.tasks.get(task)
  if (currentTask !== undefined) currentTask.task = { ...currentTask.task, conversation: conversation.id }
  return conversation
}

export const replaceConversation = (state: State, fence: FiringFence, now: number): number | null => {
  const row = findHeld(state.tasks, fence)
  if (row === null) return null
  row.firing = { ...row.firing, renewedAt: Math.max(row.firing.renewedAt, now) }
  return openFiringConversation(state, row, now).id
}

const addNotification = (
  tables: TaskTables,
  { account, task }: Pick<Firing, "account" | "task">,
  fields: Omit<Notification, "n" | "task" | "read">
) => {
  const notificationsRow = getAccountNotifications(tables, account)
  const notification: Notification = { ...fields, n: notificationsRow.newest + 1, task, read: false }
  notificationsRow.newest = notification.n
  notificationsRow.notifications = [...notificationsRow.notifications, notification].slice(-maxNotifications)
  return notification
}

export const endFiring = (
  state: State,
  fence: FiringFence,
  firingEnd: FiringEnd,
  now: number
): { readonly notification: Notification | null } | null => {
  const row = findHeld(state.tasks, fence)
  if (row === null) return null
  const { account, id, task } = row.firing
  const existingConversation = findConversation(state.agent, account, row.firing.conversation)
  const conversation = existingConversation ??
    (firingEnd.report === null ? null : openFiringConversation(state, row, now))
  if (firingEnd.report !== null && conversation !== null) {
    addMessage(state.agent, conversation, firingEnd.report, now, `firing:${id}`)
  }
  const before = state.tasks.tasks.get(task)?.task ?? null
  const after = before === null ? null : applyEnd(before, row.firing, firingEnd)
  if (after !== null) putTask(state.tasks, after, now)
  row.firing = { ...row.firing, state: "ended", outcome: firingEnd.outcome }
  row.endedAt = now
  const notificationFields = selectNotification(before, after, firingEnd)
  return {
    notification: notificationFields === null
      ? null
      : addNotification(state.tasks, row.firing, {
        ...notificationFields,
        time: now,
        conversation: conversation?.id ?? null
      })
  }
}

/** Takes or renews the leadership for a holder. Returns false if another holder has a lease that has not expired. */
export const takeLead = (tables: TaskTables, holder: string, leaseMs: number, now: number): boolean => {
  const { leader } = tables
  if (leader !== null && leader.holder !== holder && leader.at > now - leaseMs) return false
  tables.leader = { holder, at: now }
  return true
}

/** Removes up to `limit` of the oldest rows that are dated at most `before`, and returns the number of removed rows. */
const removeOldest = <K, V>(
  rows: Map<K, V>,
  getAge: (row: V) => number | null,
  before: number,
  limit: number
): number => {
  const old = [...rows].flatMap(([key, row]) => {
    const at = getAge(row)
    return at !== null && at <= before ? [{ key, at }] : []
  })
  const removed = old.sort((a, b) => a.at - b.at).slice(0, limit)
  for (const { key } of removed) rows.delete(key)
  return removed.length
}

export const sweepTasks = (
  { firings, readMarks, writes }: TaskTables,
  keepMs: number,
  limit: number,
  now: number
): number => {
  const writesKeptFrom = now - Math.max(keepMs, writeRetentionMs)
  return removeOldest(firings, ({ endedAt }) => endedAt, now - keepMs, limit) +
    removeOldest(writes, ({ at }) => at, writesKeptFrom, limit) +
    removeOldest(readMarks, ({ at }) => at, writesKeptFrom, limit)
}
