import { assert, type Vitest } from "@effect/vitest"
import { ConversationStore } from "@tapeline/core/agent"
import type { KeyStore, SessionStore } from "@tapeline/core/engine"
import {
  type Awaited,
  type Claim,
  type Firing,
  type FiringEnd,
  type FiringFence,
  nextDue,
  NotificationStore,
  type ScheduleTask,
  type Task,
  type TaskChange,
  TaskStore,
  type WatchTask
} from "@tapeline/core/personal"
import { Effect } from "effect"
import { report } from "../agent/fixtures.ts"

export { report } from "../agent/fixtures.ts"

/** Stores that share transactions with the tasks. */
export type TaskStores = ConversationStore | KeyStore | SessionStore

/** Tests over an adapter's layer. */
export type TaskTests<R = never> = Vitest.MethodsNonLive<TaskStores | R>

/** Advances the store's own time. */
export type Advance<R> = (ms: number) => Effect.Effect<void, unknown, TaskStores | R>

export const minute = 60_000
export const hour = 60 * minute
export const dayMs = 24 * hour

let accounts = 170_000
let calls = 0
export const newAccount = () => ++accounts
export const newCall = () => `call/${++calls}`

export const onTasks = <A, E>(use: (store: typeof TaskStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(TaskStore, use)
export const onBell = <A, E, R>(use: (store: typeof NotificationStore["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(NotificationStore, use)
export const onConversations = <A, E>(use: (store: ConversationStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(ConversationStore, use)

export const above = (value = 100): Awaited & { readonly kind: "watch" } => ({
  kind: "watch",
  spec: { metric: "price", market: "coin", symbol: "BTC", op: "gt", value }
})
export const hourly: Awaited = { kind: "schedule", spec: { every_min: 60 } }

type Creating = TaskChange & { readonly _tag: "Create" }
type Updating = TaskChange & { readonly _tag: "Update" }

export const creating = (change: Partial<Creating> = {}): Creating => ({
  _tag: "Create",
  title: "a task",
  awaited: above(),
  prompt: null,
  maxRuns: null,
  lang: "en",
  key: 3,
  conversation: null,
  ...change
})

export const updating = (id: number, change: Partial<Updating> = {}): Updating => ({
  _tag: "Update",
  id,
  key: 4,
  ...change
})

export const write = (account: number, change: TaskChange, call = newCall()) =>
  onTasks((store) => store.write(account, call, change))

/** Writes a change and returns its task. */
const writtenTask = (account: number, change: TaskChange, call?: string) =>
  Effect.map(write(account, change, call), (written): Task => {
    assert(written._tag === "Task")
    return written.task
  })
export const created = (account: number, change: Partial<Creating> = {}, call?: string) =>
  writtenTask(account, creating(change), call)
export const updated = (account: number, id: number, change: Partial<Updating>) =>
  writtenTask(account, updating(id, change))
export const removed = (account: number, id: number) => write(account, { _tag: "Delete", id, key: 4 })

export const refusalOf = (account: number, change: TaskChange, call?: string) =>
  Effect.map(Effect.flip(write(account, change, call)), ({ _tag }) => _tag)

export const find = (account: number, id: number) => onTasks((store) => store.find(account, id))

export const foundWatch = (account: number, id: number) =>
  Effect.map(find(account, id), (task): WatchTask => {
    assert(task?.kind === "watch")
    return task
  })
export const foundSchedule = (account: number, id: number) =>
  Effect.map(find(account, id), (task): ScheduleTask => {
    assert(task?.kind === "schedule")
    return task
  })

/** The claim of a task's next firing. For a watch, it is of the minute after the last checked one. */
export const claimOf = (task: Task, change: Partial<Claim> = {}): Claim => {
  const said = { task: task.id, version: task.version, missed: 0, question: null }
  if (task.kind === "schedule") {
    const { nextAt: dueAt, spec } = task
    const next = { kind: "schedule", from: dueAt, nextAt: nextDue(spec, dueAt) } as const
    return { ...said, due: `at:${dueAt}`, dueAt, observed: null, next, ...change }
  }
  const { arming, armed, checkedTo: from } = task.watch
  const fired = armed ? arming : arming + 1
  const dueAt = from + minute
  const watch = { arming: fired, armed: false, checkedTo: dueAt, last: 101.5 }
  const observed = { value: 101.5, level: 100 }
  return {
    ...said,
    due: `arming:${fired}`,
    dueAt,
    observed,
    next: { kind: "watch", from, watch, restMs: 0 },
    ...change
  }
}

export const claim = (asked: Claim) => onTasks((store) => store.claim(asked))

/** Fires a task, and fails if it cannot be claimed. */
export const fired = (task: Task, change: Partial<Claim> = {}) =>
  Effect.map(claim(claimOf(task, change)), (firing): Firing => {
    assert(firing !== null, "it was not to be had")
    return firing
  })

export const fenceOf = ({ epoch, id }: Firing): FiringFence => ({ firing: id, epoch })

export const ending = (change: Partial<FiringEnd> = {}): FiringEnd => ({
  outcome: "reported",
  report: report("it is so"),
  notification: { kind: "task_fired", title: "a task", body: "it is so" },
  giveBack: null,
  pauses: null,
  ...change
})

export const end = (fence: FiringFence, how: Partial<FiringEnd> = {}) =>
  onTasks((store) => store.end(fence, ending(how)))

/** The messages of a conversation, or null if the account has no such conversation. */
export const saidIn = (account: number, conversation: number) =>
  Effect.map(
    onConversations((store) => store.messages(account, conversation, { limit: 100, cursor: null })),
    (page) => page === null ? null : page.items.map(({ content, role }) => `${role}: ${content}`)
  )

/** The account's notifications, newest first. */
export const bellOf = (account: number, query: { readonly unreadOnly?: boolean; readonly limit?: number } = {}) =>
  onBell((store) => store.list(account, { unreadOnly: query.unreadOnly ?? false, limit: query.limit ?? 1_000 }))
