import { GenerationWaiters } from "@tapeline/core/agent"
import type { Firing, Notification, Task, TaskChangeResult } from "@tapeline/core/personal"

export interface TaskRow {
  task: Task
  /** The time at which the task was done, or null. */
  doneAt: number | null
}

export interface FiringRow {
  firing: Firing
  endedAt: number | null
}

export interface AccountNotifications {
  /** The notifications in the order of their numbers. */
  notifications: Array<Notification>
  /** The highest notification number of the account so far. */
  newest: number
}

export interface TaskTables {
  readonly tasks: Map<number, TaskRow>
  readonly firings: Map<number, FiringRow>
  readonly notificationsByAccount: Map<number, AccountNotifications>
  /**
   * The results of calls that changed tasks, by account and call. `readMarks` contains the results of calls that marked
   * notifications as read.
   */
  readonly writes: Map<string, { readonly written: TaskChangeResult; readonly at: number }>
  readonly readMarks: Map<string, { readonly markedCount: number; readonly at: number }>
  /** The last assigned id of each kind of row. */
  readonly lastIds: { task: number; firing: number }
  leader: { readonly holder: string; readonly at: number } | null
  /** The readers that wait for new notifications. The readers are woken at once, as within one process. */
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

/** Returns the key under which the result of a call is stored. */
export const makeCallKey = (account: number, callId: string): string => `${account}/${callId}`

export const getAccountNotifications = (tables: TaskTables, account: number): AccountNotifications => {
  const accountNotifications = tables.notificationsByAccount.get(account) ?? { notifications: [], newest: 0 }
  tables.notificationsByAccount.set(account, accountNotifications)
  return accountNotifications
}
