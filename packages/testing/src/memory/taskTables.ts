import { GenerationWaiters } from "@tapeline/core/agent"
import type { Firing, Notification, Task, TaskChangeResult } from "@tapeline/core/personal"

/** The row of a task. */
export interface TaskRow {
  task: Task
  /** The time at which it was done, or null. */
  doneAt: number | null
}

/** The row of a firing. */
export interface FiringRow {
  firing: Firing
  endedAt: number | null
}

/** The notifications of an account. */
export interface AccountNotifications {
  /** In the order of their numbers. */
  notifications: Array<Notification>
  /** The highest number so far. */
  newest: number
}

/** Tables of tasks and notifications. */
export interface TaskTables {
  readonly tasks: Map<number, TaskRow>
  readonly firings: Map<number, FiringRow>
  /** By account. */
  readonly notificationsByAccount: Map<number, AccountNotifications>
  /** Results of calls that wrote or marked, by account and call. */
  readonly writes: Map<string, { readonly written: TaskChangeResult; readonly at: number }>
  readonly readMarks: Map<string, { readonly markedCount: number; readonly at: number }>
  /** The last number of each. */
  readonly lastIds: { task: number; firing: number }
  leader: { readonly holder: string; readonly at: number } | null
  /** Readers that follow notifications. Notices arrive at once, as within one process. */
  readonly notices: GenerationWaiters
}

export const makeTaskTables = (): TaskTables => ({
  tasks: new Map(),
  firings: new Map(),
  notificationsByAccount: new Map(),
  writes: new Map(),
  readMarks: new Map(),
  lastIds: { task: 0, firing: 0 },
  leader: null,
  notices: new GenerationWaiters()
})

/** The key of a stored call result. */
export const makeCallKey = (account: number, callId: string): string => `${account}/${callId}`

export const getAccountNotifications = (tables: TaskTables, account: number): AccountNotifications => {
  const accountNotifications = tables.notificationsByAccount.get(account) ?? { notifications: [], newest: 0 }
  tables.notificationsByAccount.set(account, accountNotifications)
  return accountNotifications
}
