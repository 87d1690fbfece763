import { Wakes } from "@tapeline/core/agent"
import type { Firing, Notification, Task, TaskWritten } from "@tapeline/core/personal"

/** What the database's row of a task holds. */
export interface TaskRow {
  task: Task
  /** When it was done; null while it is not. */
  doneAt: number | null
}

/** What the database's row of a firing holds. */
export interface FiringRow {
  firing: Firing
  endedAt: number | null
}

/** The bell of an account. */
export interface Bell {
  /** In the order of their numbers. */
  notifications: Array<Notification>
  /** The number of the newest there ever was. */
  newest: number
}

/** Tables of tasks and of the bell. */
export interface TaskTables {
  readonly tasks: Map<number, TaskRow>
  readonly firings: Map<number, FiringRow>
  /** By account. */
  readonly bells: Map<number, Bell>
  /** What calls wrote and marked, by account and call. */
  readonly writes: Map<string, { readonly written: TaskWritten; readonly at: number }>
  readonly marks: Map<string, { readonly marked: number; readonly at: number }>
  /** The last number of each. */
  readonly sequences: { task: number; firing: number }
  leader: { readonly holder: string; readonly at: number } | null
  /** Who follows bells: notices arrive at once, as within one process. */
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

/** What is remembered of a call of an account. */
export const callIdentity = (account: number, callId: string): string => `${account}/${callId}`

export const bellOf = (tables: TaskTables, account: number): Bell => {
  const bell = tables.bells.get(account) ?? { notifications: [], newest: 0 }
  tables.bells.set(account, bell)
  return bell
}
