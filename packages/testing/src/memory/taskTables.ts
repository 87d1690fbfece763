import { Wakes } from "@tapeline/core/agent"
import type { Firing, Notification, Task, TaskWritten } from "@tapeline/core/personal"

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
export interface Bell {
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
  readonly bells: Map<number, Bell>
  /** Results of calls that wrote or marked, by account and call. */
  readonly writes: Map<string, { readonly written: TaskWritten; readonly at: number }>
  readonly marks: Map<string, { readonly marked: number; readonly at: number }>
  /** The last number of each. */
  readonly sequences: { task: number; firing: number }
  leader: { readonly holder: string; readonly at: number } | null
  /** Readers that follow notifications. Notices arrive at once, as within one process. */
  readonly wakes: Wakes
}

export const emptyTaskTables = (): TaskTables => ({
  tasks: new Map(),
  firings: new Map(),
  bells: new Map(),
  writes: new Map(),
  marks: new Map(),
  sequences: { task: 0, firing: 0 },
  leader: null,
  wakes: new Wakes()
})

/** The key of a stored call result. */
export const callIdentity = (account: number, callId: string): string => `${account}/${callId}`

export const bellOf = (tables: TaskTables, account: number): Bell => {
  const bell = tables.bells.get(account) ?? { notifications: [], newest: 0 }
  tables.bells.set(account, bell)
  return bell
}
