import { GenerationWaiters } from "@tapeline/core/agent"
import type { Firing, Notification, Task, TaskChangeResult } from "@tapeline/core/personal"

export interface TaskRow {
  task: Task
  doneAt: number | null
}

export interface FiringRow {
  firing: Firing
  endedAt: number | null
}

export interface AccountNotifications {
  notifications: Array<Notification>
  newest: number
}

export interface TaskTables {
  readonly tasks: Map<number, TaskRow>
  readonly firings: Map<number, FiringRow>
  readonly notificationsByAccount: Map<number, AccountNotifications>
  /**
   * The results of earlier calls that changed a task, for repeated calls. A key consists of the account id and the call
   * id.
   */
  readonly writes: Map<string, { readonly result: TaskChangeResult; readonly at: number }>
  readonly readMarks: Map<string, { readonly markedCount: number; readonly at: number }>
  readonly lastIds: { task: number; firing: number }
  leader: { readonly holder: string; readonly at: number } | null
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

export const makeCallKey = (account: number, callId: string): string => `${account}/${callId}`

export const getAccountNotifications = (tables: TaskTables, account: number): AccountNotifications => {
  const accountNotifications = tables.notificationsByAccount.get(account) ?? { notifications: [], newest: 0 }
  tables.notificationsByAccount.set(account, accountNotifications)
  return accountNotifications
}
