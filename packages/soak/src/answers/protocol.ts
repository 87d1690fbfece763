import type { GenerationFailpoint, LoggedEvent, Timing } from "@tapeline/core/agent"
import type { TaskChange, TaskChangeResult, TaskFailpoint } from "@tapeline/core/personal"

/** The options of a worker process, which are passed as JSON in the first argument of the process. */
export interface WorkerOptions {
  readonly database: { readonly url: string } | { readonly dataDir: string }
  readonly baseUrl: string
  readonly toolUrl: string
  readonly timing: Partial<Timing>
  readonly cluster: { readonly heartbeatTtlMs: number; readonly pollIntervalMs: number; readonly stopTimeoutMs: number }
}

export interface FailpointTrigger {
  readonly point: GenerationFailpoint | `task ${TaskFailpoint}`
  /** The process receives the signal at visit number `nth` of the failpoint, counted from 1. */
  readonly nth: number
  readonly signal: "SIGKILL" | "SIGSTOP"
}

export interface WorkerMethods {
  readonly createAccount: { readonly params: null; readonly result: number }
  readonly start: {
    readonly params: { readonly account: number; readonly message: string; readonly conversation: number | null }
    readonly result: { readonly generation: number; readonly conversation: number }
  }
  readonly cancel: {
    readonly params: { readonly account: number; readonly conversation: number }
    readonly result: boolean
  }
  /** Returns all events of a generation after a number, until the generation ends. */
  readonly follow: {
    readonly params: { readonly generation: number; readonly after: number }
    readonly result: ReadonlyArray<LoggedEvent>
  }
  readonly query: {
    readonly params: { readonly text: string }
    readonly result: ReadonlyArray<Readonly<Record<string, unknown>>>
  }
  readonly issueKey: { readonly params: { readonly account: number }; readonly result: number }
  readonly writeTask: {
    readonly params: { readonly account: number; readonly callId: string; readonly change: TaskChange }
    readonly result: TaskChangeResult
  }
  readonly mark: {
    readonly params: { readonly account: number; readonly callId: string }
    readonly result: number
  }
  /** Runs tasks until `stopTasks` is called. If `leaders` is `all`, every process is a leader at the same time. */
  readonly startTasks: { readonly params: { readonly leaders: "one" | "all" }; readonly result: null }
  readonly stopTasks: { readonly params: null; readonly result: null }
  readonly setFailpoint: { readonly params: FailpointTrigger; readonly result: null }
}

export type WorkerRequest = {
  readonly [K in keyof WorkerMethods]: {
    readonly id: number
    readonly method: K
    readonly params: WorkerMethods[K]["params"]
  }
}[keyof WorkerMethods]

export type WorkerMessage =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Trapped" }
  | { readonly _tag: "Answered"; readonly id: number; readonly result: unknown }
  | { readonly _tag: "Failed"; readonly id: number; readonly error: string }
