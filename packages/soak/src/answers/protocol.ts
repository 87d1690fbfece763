import type { GenerationFailpoint, LoggedEvent, Timing } from "@tapeline/core/agent"
import type { TaskChange, TaskFailpoint, TaskWritten } from "@tapeline/core/personal"

/** The options of a worker process, as JSON in its first argument. */
export interface WorkerOptions {
  readonly database: { readonly url: string } | { readonly dataDir: string }
  /** The model's base URL. */
  readonly baseUrl: string
  /** The URL that its only tool reads. */
  readonly toolUrl: string
  readonly timing: Partial<Timing>
  readonly cluster: { readonly expireMs: number; readonly lookEveryMs: number; readonly stopWithinMs: number }
}

/** A failpoint at which a process sends itself a signal, as its operator might. */
export interface Trap {
  readonly point: GenerationFailpoint | `task ${TaskFailpoint}`
  /** The number of the visit, from 1. */
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
}

/** The orders of a worker and their answers. */
export interface Doings {
  readonly enrol: { readonly asked: null; readonly answered: number }
  readonly start: {
    readonly asked: { readonly account: number; readonly message: string; readonly conversation: number | null }
    readonly answered: { readonly generation: number; readonly conversation: number }
  }
  readonly cancel: {
    readonly asked: { readonly account: number; readonly conversation: number }
    readonly answered: boolean
  }
  /** Returns all events after a number, to the end. */
  readonly follow: {
    readonly asked: { readonly generation: number; readonly after: number }
    readonly answered: ReadonlyArray<LoggedEvent>
  }
  readonly query: {
    readonly asked: { readonly text: string }
    readonly answered: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  /** Issues a key that may chat, read the market and write, and returns its id. */
  readonly issueKey: { readonly asked: { readonly account: number }; readonly answered: number }
  readonly writeTask: {
    readonly asked: { readonly account: number; readonly callId: string; readonly change: TaskChange }
    readonly answered: TaskWritten
  }
  /** Marks all notifications as read. */
  readonly mark: {
    readonly asked: { readonly account: number; readonly callId: string }
    readonly answered: number
  }
  /** Runs tasks until `rest`. With `all`, each such process leads at the same time. */
  readonly tend: { readonly asked: { readonly leads: "one" | "all" }; readonly answered: null }
  readonly rest: { readonly asked: null; readonly answered: null }
  readonly trap: { readonly asked: Trap; readonly answered: null }
}

export type Order = {
  readonly [K in keyof Doings]: { readonly id: number; readonly what: K; readonly asked: Doings[K]["asked"] }
}[keyof Doings]

export type Word =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Trapped" }
  | { readonly _tag: "Answered"; readonly id: number; readonly answered: unknown }
  | { readonly _tag: "Failed"; readonly id: number; readonly error: string }
