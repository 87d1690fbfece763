import type { GenerationFailpoint, LoggedEvent, Timing } from "@tapeline/core/agent"
import type { TaskChange, TaskChangeResult, TaskFailpoint } from "@tapeline/core/personal"

/** The options of a worker process, as JSON in its first argument. */
export interface WorkerOptions {
  readonly database: { readonly url: string } | { readonly dataDir: string }
  /** The model's base URL. */
  readonly baseUrl: string
  /** The URL that its only tool reads. */
  readonly toolUrl: string
  readonly timing: Partial<Timing>
  readonly cluster: { readonly heartbeatTtlMs: number; readonly pollIntervalMs: number; readonly stopTimeoutMs: number }
}

/** A failpoint at which a process sends itself a signal, as its operator might. */
export interface FailpointTrigger {
  readonly point: GenerationFailpoint | `task ${TaskFailpoint}`
  /** The number of the visit, from 1. */
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
}

/** The orders of a worker and their answers. */
export interface WorkerMethods {
  readonly enrol: { readonly params: null; readonly result: number }
  readonly start: {
    readonly params: { readonly account: number; readonly message: string; readonly conversation: number | null }
    readonly result: { readonly generation: number; readonly conversation: number }
  }
  readonly cancel: {
    readonly params: { readonly account: number; readonly conversation: number }
    readonly result: boolean
  }
  /** Returns all events after a number, to the end. */
  readonly follow: {
    readonly params: { readonly generation: number; readonly after: number }
    readonly result: ReadonlyArray<LoggedEvent>
  }
  readonly query: {
    readonly params: { readonly text: string }
    readonly result: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  /** Issues a key that may chat, read the market and write, and returns its id. */
  readonly issueKey: { readonly params: { readonly account: number }; readonly result: number }
  readonly writeTask: {
    readonly params: { readonly account: number; readonly callId: string; readonly change: TaskChange }
    readonly result: TaskChangeResult
  }
  /** Marks all notifications as read. */
  readonly mark: {
    readonly params: { readonly account: number; readonly callId: string }
    readonly result: number
  }
  /** Runs tasks until `rest`. With `all`, each such process leads at the same time. */
  readonly tend: { readonly params: { readonly leads: "one" | "all" }; readonly result: null }
  readonly rest: { readonly params: null; readonly result: null }
  readonly trap: { readonly params: FailpointTrigger; readonly result: null }
}

export type WorkerRequest = {
  readonly [K in keyof WorkerMethods]: {
    readonly id: number
    readonly what: K
    readonly asked: WorkerMethods[K]["params"]
  }
}[keyof WorkerMethods]

export type WorkerMessage =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Trapped" }
  | { readonly _tag: "Answered"; readonly id: number; readonly answered: unknown }
  | { readonly _tag: "Failed"; readonly id: number; readonly error: string }
