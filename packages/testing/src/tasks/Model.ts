import type { FiringEnd, Notification, Task, WatchState } from "@tapeline/core/tasks"
import type { Effect } from "effect"

/** What a task waits for: a time, or a condition. */
export type Waits = { readonly nextAt: number } | { readonly watch: WatchState }

/** What a run of the model holds of one task. */
export interface ModelTask {
  readonly account: number
  readonly id: number
  readonly kind: Task["kind"]
  title: string
  status: Task["status"]
  runs: number
  maxRuns: number | null
  version: number
  notBefore: number | null
  conversation: number
  waits: Waits
  outcome: FiringEnd["outcome"] | null
  deleted: boolean
}

/** What a run of the model holds of one firing. */
export interface ModelFiring {
  readonly account: number
  readonly id: number
  readonly task: ModelTask
  readonly due: string
  readonly title: string
  conversation: number
  epoch: number
  state: "claimed" | "asked" | "ended"
  generation: number | null
}

/** How the store's time moves: by its clock, or by what it keeps being put back. */
export interface Moving<R> {
  readonly moves: "clock" | "rows"
  readonly by: (ms: number) => Effect.Effect<void, unknown, R>
}

/** What must be in the stores, by what they answered so far. */
export class Model {
  readonly tasks: Array<ModelTask> = []
  readonly firings: Array<ModelFiring> = []
  /** By account, in the order of their numbers. */
  readonly bells = new Map<number, Array<Pick<Notification, "kind" | "body" | "task" | "conversation" | "read">>>()
  /** Texts by conversation; null once it was removed. */
  readonly said = new Map<number, Array<string> | null>()
  /** The last call of each account, and what it was answered. */
  readonly calls = new Map<number, { readonly call: string; readonly answer: unknown }>()
  /** Tasks as somebody has read them: the newest last. */
  readonly read: Array<Task> = []

  bell(account: number) {
    const bell = this.bells.get(account) ?? []
    this.bells.set(account, bell)
    return bell
  }

  /** A conversation that the account has no longer, or never had, counts as gone. */
  isGone(conversation: number): boolean {
    return (this.said.get(conversation) ?? null) === null
  }

  /** What was kept as a time is put back. */
  putBack(ms: number): void {
    for (const task of this.tasks) {
      if (task.notBefore !== null) task.notBefore -= ms
      if ("nextAt" in task.waits) task.waits = { nextAt: task.waits.nextAt - ms }
    }
    this.read.forEach((task, i) => {
      if (task.kind === "schedule") this.read[i] = { ...task, nextAt: task.nextAt - ms }
    })
  }
}

/** What a claim changes of a task. */
export const countRun = (task: ModelTask, waits: Waits): void => {
  task.waits = waits
  task.notBefore = null
  task.runs += 1
  if (task.runs === task.maxRuns) task.status = "done"
}

/** What an end changes of a task. */
export const endRun = (task: ModelTask, { giveBack, outcome, pauses }: FiringEnd): void => {
  task.outcome = outcome
  if (giveBack === null) return
  task.version += 1
  task.runs -= 1
  task.notBefore = giveBack.notBefore
  if (task.status === "done" && (task.maxRuns === null || task.runs < task.maxRuns)) task.status = "active"
  if (pauses && task.status === "active") task.status = "paused"
  if ("watch" in task.waits && !task.waits.watch.armed) {
    const { watch } = task.waits
    task.waits = { watch: { ...watch, armed: true, arming: watch.arming + 1 } }
  }
}

export const pick = <A>(from: ReadonlyArray<A>, which: number): A | undefined => from[which % Math.max(1, from.length)]

export const waitsOf = (task: Task): Waits => task.kind === "watch" ? { watch: task.watch } : { nextAt: task.nextAt }

/** What the model holds of a task, of one that a store tells. */
export const shownTask = (task: Task): Omit<ModelTask, "deleted"> => {
  const { account, conversation, id, kind, last, maxRuns, notBefore, runs, status, title, version } = task
  const outcome = last?.outcome ?? null
  const counted = { runs, maxRuns, version, notBefore }
  return { account, id, kind, title, status, ...counted, conversation, waits: waitsOf(task), outcome }
}
