import type { GenerationFailpoint, LoggedEvent, Timing } from "@tapeline/core/agent"
import type { TaskChange, TaskFailpoint, TaskWritten } from "@tapeline/core/personal"

/** What a process that answers is started with, as JSON in its first argument. */
export interface WorkerOptions {
  readonly database: { readonly url: string } | { readonly dataDir: string }
  /** Of the model. */
  readonly baseUrl: string
  /** Where its one tool looks up what it answers. */
  readonly toolUrl: string
  readonly timing: Partial<Timing>
  readonly cluster: { readonly expireMs: number; readonly lookEveryMs: number; readonly stopWithinMs: number }
}

/** Where a process does to itself what its operator might do to it. */
export interface Trap {
  readonly point: GenerationFailpoint | `task ${TaskFailpoint}`
  /** The how manyth time that it comes there. */
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
}

/** What a process is asked to do, and what it answers. */
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
  /** Everything after a number, to the end. */
  readonly follow: {
    readonly asked: { readonly generation: number; readonly after: number }
    readonly answered: ReadonlyArray<LoggedEvent>
  }
  readonly query: {
    readonly asked: { readonly text: string }
    readonly answered: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  /** A key that may ask and read; its id. */
  readonly issueKey: { readonly asked: { readonly account: number }; readonly answered: number }
  readonly writeTask: {
    readonly asked: { readonly account: number; readonly callId: string; readonly change: TaskChange }
    readonly answered: TaskWritten
  }
  /** Marks the whole bell as read. */
  readonly mark: {
    readonly asked: { readonly account: number; readonly callId: string }
    readonly answered: number
  }
  /** Looks after tasks from now on, until `rest`; beside others that do only where `all` lead. */
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
