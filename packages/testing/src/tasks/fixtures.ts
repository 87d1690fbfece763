import { assert, type Vitest } from "@effect/vitest"
import { ConversationStore } from "@tapeline/core/agent"
import type { KeyStore, LedgerStore, SessionStore } from "@tapeline/core/engine"
import {
  type Claim,
  computeNextDue,
  type Firing,
  type FiringEnd,
  type FiringFence,
  NotificationStore,
  type ScheduleTask,
  type Task,
  type TaskChange,
  TaskStore,
  type TaskTrigger,
  type WatchTask
} from "@tapeline/core/personal"
import { Effect } from "effect"
import { reportMessage } from "../agent/fixtures.ts"

export { reportMessage } from "../agent/fixtures.ts"

/** The stores that the tests of the task store also need. */
export type TaskStores = ConversationStore | KeyStore | LedgerStore | SessionStore

export type TaskTests<R = never> = Vitest.MethodsNonLive<TaskStores | R>

/** Advances the clock of the store by `ms` milliseconds. */
export type Advance<R> = (ms: number) => Effect.Effect<void, unknown, TaskStores | R>

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

let lastAccount = 170_000
let callCount = 0
export const newAccount = () => ++lastAccount
export const newCall = () => `call/${++callCount}`

export const useTaskStore = <A, E>(callback: (store: typeof TaskStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(TaskStore, callback)
export const useNotificationStore = <A, E, R>(
  callback: (store: typeof NotificationStore["Service"]) => Effect.Effect<A, E, R>
) => Effect.flatMap(NotificationStore, callback)
export const useConversationStore = <A, E>(callback: (store: ConversationStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(ConversationStore, callback)

export const makePriceCondition = (value = 100): TaskTrigger & { readonly kind: "watch" } => ({
  kind: "watch",
  spec: { metric: "price", market: "coin", symbol: "BTC", op: "gt", value }
})
export const hourlySchedule: TaskTrigger = { kind: "schedule", spec: { every_min: 60 } }

type CreateChange = TaskChange & { readonly _tag: "Create" }
type UpdateChange = TaskChange & { readonly _tag: "Update" }

export const makeCreate = (overrides: Partial<CreateChange> = {}): CreateChange => ({
  _tag: "Create",
  title: "a task",
  trigger: makePriceCondition(),
  prompt: null,
  maxRuns: null,
  lang: "en",
  key: 3,
  conversation: null,
  ...overrides
})

export const makeUpdate = (id: number, overrides: Partial<UpdateChange> = {}): UpdateChange => ({
  _tag: "Update",
  id,
  key: 4,
  ...overrides
})

export const writeChange = (account: number, overrides: TaskChange, call = newCall()) =>
  useTaskStore((store) => store.write(account, call, overrides))

const writeTask = (account: number, overrides: TaskChange, call?: string) =>
  Effect.map(writeChange(account, overrides, call), (result): Task => {
    assert(result._tag === "Task")
    return result.task
  })
export const createTask = (account: number, overrides: Partial<CreateChange> = {}, call?: string) =>
  writeTask(account, makeCreate(overrides), call)
export const updateTask = (account: number, id: number, overrides: Partial<UpdateChange>) =>
  writeTask(account, makeUpdate(id, overrides))
export const removeTask = (account: number, id: number) => writeChange(account, { _tag: "Delete", id, key: 4 })

export const getErrorTag = (account: number, overrides: TaskChange, call?: string) =>
  Effect.map(Effect.flip(writeChange(account, overrides, call)), ({ _tag }) => _tag)

export const findTask = (account: number, id: number) => useTaskStore((store) => store.find(account, id))

export const findWatch = (account: number, id: number) =>
  Effect.map(findTask(account, id), (task): WatchTask => {
    assert(task?.kind === "watch")
    return task
  })
export const findSchedule = (account: number, id: number) =>
  Effect.map(findTask(account, id), (task): ScheduleTask => {
    assert(task?.kind === "schedule")
    return task
  })

/**
 * Creates the arguments of `claim` for the next firing of a task. For a watch, the claim covers the minute after the
 * last checked minute.
 */
export const makeClaim = (task: Task, overrides: Partial<Claim> = {}): Claim => {
  const common = { task: task.id, version: task.version, missed: 0, question: null }
  if (task.kind === "schedule") {
    const { nextAt: dueAt, spec } = task
    const next = { kind: "schedule", from: dueAt, nextAt: computeNextDue(spec, dueAt) } as const
    return { ...common, due: `at:${dueAt}`, dueAt, observed: null, next, ...overrides }
  }
  const { arming, armed, checkedTo: from } = task.watch
  const firedArming = armed ? arming : arming + 1
  const dueAt = from + minuteMs
  const watch = { arming: firedArming, armed: false, checkedTo: dueAt, last: 101.5 }
  const observed = { value: 101.5, level: 100 }
  return {
    ...common,
    due: `arming:${firedArming}`,
    dueAt,
    observed,
    next: { kind: "watch", from, watch, cooldownMs: 0 },
    ...overrides
  }
}

export const claimTask = (request: Claim) => useTaskStore((store) => store.claim(request))

/** Claims the next firing of a task, or fails the test if the store rejects the claim. */
export const fireTask = (task: Task, overrides: Partial<Claim> = {}) =>
  Effect.map(claimTask(makeClaim(task, overrides)), (firing): Firing => {
    assert(firing !== null, "the firing could not be claimed")
    return firing
  })

export const getFence = ({ epoch, id }: Firing): FiringFence => ({ firing: id, epoch })

export const makeFiringEnd = (overrides: Partial<FiringEnd> = {}): FiringEnd => ({
  outcome: "reported",
  report: reportMessage("it is so"),
  notification: { kind: "task_fired", title: "a task", body: "it is so" },
  returnRun: null,
  pauseTask: null,
  ...overrides
})

export const endFiring = (fence: FiringFence, overrides: Partial<FiringEnd> = {}) =>
  useTaskStore((store) => store.end(fence, makeFiringEnd(overrides)))

export const readMessages = (account: number, conversation: number) =>
  Effect.map(
    useConversationStore((store) => store.messages(account, conversation, { limit: 100, cursor: null })),
    (page) => page === null ? null : page.items.map(({ content, role }) => `${role}: ${content}`)
  )

export const readNotifications = (
  account: number,
  query: { readonly unreadOnly?: boolean; readonly limit?: number } = {}
) =>
  useNotificationStore((store) =>
    store.list(account, { unreadOnly: query.unreadOnly ?? false, limit: query.limit ?? 1_000 })
  )
