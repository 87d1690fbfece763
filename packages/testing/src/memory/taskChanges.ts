import { titleOf } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import {
  actorOf,
  type Claim,
  claimed,
  decideTask,
  ended,
  type Firing,
  type FiringEnd,
  type FiringFence,
  type Notification,
  notificationAtEnd,
  notificationsKept,
  type Observed,
  type Renewed,
  type Task,
  taskBounds,
  type TaskChange,
  type TaskRefusal,
  type TaskWritten,
  writesKeptMs
} from "@tapeline/core/personal"
import { Result } from "effect"
import { hasActorEnded } from "./actors.ts"
import { addMessage, conversationOf, type ConversationRow } from "./agentTables.ts"
import type { MemoryState } from "./MemoryState.ts"
import { bellOf, callIdentity, type FiringRow, type TaskTables } from "./taskTables.ts"

/* Changes of tasks and their firings. Each is one synchronous step. */

type State = MemoryState["Service"]

const tasksOf = ({ tasks }: TaskTables, account: number) =>
  [...tasks.values()].filter(({ task }) => task.account === account)

/** Stores a task's row. Removes the account's oldest finished tasks beyond the limit. */
const put = (tables: TaskTables, task: Task, now: number): void => {
  const isDone = task.status === "done"
  tables.tasks.set(task.id, { task, doneAt: isDone ? tables.tasks.get(task.id)?.doneAt ?? now : null })
  if (!isDone) return
  const done = tasksOf(tables, task.account).filter(({ doneAt }) => doneAt !== null)
  done.sort((a, b) => b.doneAt! - a.doneAt! || b.task.id - a.task.id)
  for (const { task: { id } } of done.slice(taskBounds.done)) tables.tasks.delete(id)
}

/** Opens a conversation with the title of a task. */
const open = (
  { agent }: State,
  { account, id, lang, title }: {
    readonly account: number
    readonly id: number
    readonly lang: Language
    title: string
  },
  now: number
): ConversationRow => {
  const said = { title: titleOf(title), mode: "analyst", lang } as const
  const row: ConversationRow = {
    id,
    account,
    ...said,
    createdAt: now,
    updatedAt: now,
    summary: null,
    scopes: ["read:personal"]
  }
  agent.conversations.set(id, row)
  return row
}

export const write = (
  state: State,
  account: number,
  callId: string,
  change: TaskChange,
  now: number
): Result.Result<TaskWritten, TaskRefusal> => {
  const { agent, tasks: tables } = state
  const identity = callIdentity(account, callId)
  const known = tables.writes.get(identity)
  if (known !== undefined && known.at > now - writesKeptMs) return Result.succeed(known.written)
  const named = change._tag === "Create" ? undefined : tables.tasks.get(change.id)?.task
  const decision = decideTask(account, change, {
    task: named?.account === account ? named : null,
    open: tasksOf(tables, account).filter(({ task }) => task.status !== "done").length,
    hasConversation: change._tag === "Create" && change.conversation !== null &&
      conversationOf(agent, account, change.conversation) !== null,
    hasEnded: hasActorEnded(state, account, actorOf(change), now),
    isFiring: [...tables.firings.values()].some(({ firing }) => firing.task === named?.id && firing.state !== "ended")
  }, { id: ++tables.sequences.task, conversation: ++agent.sequences.conversation, now })
  if (Result.isFailure(decision)) return Result.fail(decision.failure)
  const { effects, written } = decision.success
  if (effects.put !== undefined) put(tables, effects.put, now)
  if (effects.put !== undefined && effects.opens === true) {
    open(state, { ...effects.put, id: effects.put.conversation }, now)
  }
  if (effects.remove !== undefined) tables.tasks.delete(effects.remove)
  tables.writes.set(identity, { written, at: now })
  return Result.succeed(written)
}

export const observe = ({ tasks }: TaskTables, observed: ReadonlyArray<Observed>): void => {
  for (const { from, task: id, version, watch } of observed) {
    const row = tasks.get(id)
    if (row?.task.kind !== "watch" || row.task.version !== version || row.task.watch.checkedTo !== from) continue
    row.task = { ...row.task, watch }
  }
}

export const claim = (tables: TaskTables, asked: Claim, now: number): Firing | null => {
  const row = tables.tasks.get(asked.task)
  if (row === undefined) return null
  const hasFired = [...tables.firings.values()].some(({ firing }) =>
    firing.task === asked.task && firing.due === asked.due
  )
  const came = claimed(row.task, asked, hasFired, { id: tables.sequences.firing + 1, now })
  if (came === null) return null
  put(tables, came.task, now)
  if (came.firing === null) return null
  tables.sequences.firing += 1
  tables.firings.set(came.firing.id, { firing: came.firing, endedAt: null })
  return came.firing
}

export const take = ({ firings }: TaskTables, id: number, staleMs: number, now: number): Firing | null => {
  const row = firings.get(id)
  if (row === undefined || row.firing.state === "ended" || row.firing.renewedAt > now - staleMs) return null
  const { epoch, renewedAt } = row.firing
  row.firing = { ...row.firing, epoch: epoch + 1, renewedAt: Math.max(renewedAt, now) }
  return row.firing
}

const held = ({ firings }: TaskTables, { epoch, firing }: FiringFence): FiringRow | null => {
  const row = firings.get(firing)
  return row !== undefined && row.firing.state !== "ended" && row.firing.epoch === epoch ? row : null
}

/** Changes a firing under its fence and renews it. Returns null if the fence is no longer valid. */
export const change = (tables: TaskTables, fence: FiringFence, by: Partial<Firing>, now: number): Renewed | null => {
  const row = held(tables, fence)
  if (row === null) return null
  row.firing = { ...row.firing, ...by, renewedAt: Math.max(row.firing.renewedAt, now) }
  const its = tables.tasks.get(row.firing.task)
  return { now, task: its === undefined ? null : { key: its.task.key, status: its.task.status } }
}

/** Opens a conversation for a firing, and for its task if the task still exists. */
const house = (state: State, row: FiringRow, now: number): ConversationRow => {
  const { account, lang, task, title } = row.firing
  const conversation = open(state, { account, lang, title, id: ++state.agent.sequences.conversation }, now)
  row.firing = { ...row.firing, conversation: conversation.id }
  const its = state.tasks.tasks.get(task)
  if (its !== undefined) its.task = { ...its.task, conversation: conversation.id }
  return conversation
}

export const rehouse = (state: State, fence: FiringFence, now: number): number | null => {
  const row = held(state.tasks, fence)
  if (row === null) return null
  row.firing = { ...row.firing, renewedAt: Math.max(row.firing.renewedAt, now) }
  return house(state, row, now).id
}

const ring = (tables: TaskTables, { account, task }: Firing, said: Omit<Notification, "n" | "task" | "read">) => {
  const bell = bellOf(tables, account)
  const notification: Notification = { ...said, n: bell.newest + 1, task, read: false }
  bell.newest = notification.n
  bell.notifications = [...bell.notifications, notification].slice(-notificationsKept)
  return notification
}

export const end = (
  state: State,
  fence: FiringFence,
  how: FiringEnd,
  now: number
): { readonly notification: Notification | null } | null => {
  const row = held(state.tasks, fence)
  if (row === null) return null
  const { account, id, task } = row.firing
  const found = conversationOf(state.agent, account, row.firing.conversation)
  const conversation = found ?? (how.report === null ? null : house(state, row, now))
  if (how.report !== null && conversation !== null) {
    addMessage(state.agent, conversation, how.report, now, `firing:${id}`)
  }
  const before = state.tasks.tasks.get(task)?.task ?? null
  const after = before === null ? null : ended(before, row.firing, how)
  if (after !== null) put(state.tasks, after, now)
  row.firing = { ...row.firing, state: "ended", outcome: how.outcome }
  row.endedAt = now
  const said = notificationAtEnd(before, after, how)
  return {
    notification: said === null
      ? null
      : ring(state.tasks, row.firing, { ...said, time: now, conversation: conversation?.id ?? null })
  }
}

/** Takes or renews the lead. Returns true for the current leader, and for any holder if the lease has expired. */
export const lead = (tables: TaskTables, holder: string, leaseMs: number, now: number): boolean => {
  const { leader } = tables
  if (leader !== null && leader.holder !== holder && leader.at > now - leaseMs) return false
  tables.leader = { holder, at: now }
  return true
}

/** Removes the oldest rows, dated at most `before`, up to `limit`. Returns their number. */
const forget = <K, V>(rows: Map<K, V>, agedAt: (row: V) => number | null, before: number, limit: number): number => {
  const old = [...rows].flatMap(([key, row]) => {
    const at = agedAt(row)
    return at !== null && at <= before ? [{ key, at }] : []
  })
  const gone = old.sort((a, b) => a.at - b.at).slice(0, limit)
  for (const { key } of gone) rows.delete(key)
  return gone.length
}

export const sweep = ({ firings, marks, writes }: TaskTables, keepMs: number, limit: number, now: number): number => {
  const remembered = now - Math.max(keepMs, writesKeptMs)
  return forget(firings, ({ endedAt }) => endedAt, now - keepMs, limit) +
    forget(writes, ({ at }) => at, remembered, limit) + forget(marks, ({ at }) => at, remembered, limit)
}
