/** A tool of the service's catalogue, with the fields that a bridge uses. */
export interface CatalogueTool {
  readonly name: string
  readonly area: string
  readonly summary: string
  readonly credits: number
  /** The scope that the tool requires. */
  readonly scope?: string | undefined
  /** All scopes that grant the tool. */
  readonly scopes_any?: ReadonlyArray<string> | undefined
  /** JSON Schema 2020-12 of the arguments. */
  readonly parameters: JsonSchema
  /** JSON Schema 2020-12 of the result. */
  readonly result?: JsonSchema | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The tools and operations that a key may call. */
export interface Catalogue {
  readonly tools: ReadonlyArray<CatalogueTool>
  /** Other operations. The analyst is `agent.answer`, if the key may use it. */
  readonly operations: ReadonlyArray<{ readonly name: string; readonly scope: string; readonly credits: number }>
}

/** The result and cost of a successful call. */
export interface CallResponse {
  readonly data: unknown
  readonly credits_used: number
  readonly credits_left: number
}

/** A question to the analyst. */
export interface Question {
  readonly message: string
  readonly conversation_id?: number
  readonly coin?: string
  readonly lang?: "en" | "ko" | "ru"
  readonly mode?: "analyst" | "mentor"
}

/** An answer of the analyst. An answer that failed because of the service or the model's provider is free. */
export interface AnalystAnswer {
  readonly answer: string
  readonly conversation_id: number
  readonly outcome: "finished" | "cancelled" | "failed"
  /** Unknown if the answer's end was read from its conversation. */
  readonly credits_used?: number | undefined
  readonly credits_left?: number | undefined
  readonly suggestions: ReadonlyArray<string>
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** The signals and the progress of a question. */
export interface QuestionSignals {
  /** Aborted if the caller cancels the answer. The service then ends the answer and stores its output so far. */
  readonly cancelled: AbortSignal
  /**
   * Aborted if the caller has disconnected without cancelling. The answer is then completed and stored in its
   * conversation.
   */
  readonly disconnected?: AbortSignal | undefined
  /** Receives progress messages. */
  readonly onProgress: (text: string) => void
}

/**
 * The service for one caller, as a bridge needs it. All failures reject with a `ServiceError`, except that an abort
 * rejects with its signal's reason.
 */
export interface Service {
  /**
   * Returns the tools that the caller may call now. Returns the same object while the catalogue is known to be
   * unchanged.
   */
  readonly catalogue: (signal?: AbortSignal) => Promise<Catalogue>
  /** Calls a tool. */
  readonly call: (name: string, args: unknown, signal: AbortSignal) => Promise<CallResponse>
  /** Asks the analyst and waits for the complete answer. */
  readonly ask: (question: Question, signals: QuestionSignals) => Promise<AnalystAnswer>
}

/** The problem details with which the service rejected a request. */
export interface Problem {
  readonly code: string
  readonly detail: string
  readonly [field: string]: unknown
}

/** The reason why a request failed. */
export type FailureReason =
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The tool could not answer, and nothing was charged. */
  | {
    readonly kind: "failed"
    readonly code: string
    readonly message: string
    readonly retryable: boolean
    readonly candidates?: ReadonlyArray<{ readonly symbol: string; readonly name: string }> | undefined
    /** The source that is unavailable. `failure` is its kind of failure. */
    readonly source?: string | undefined
    readonly failure?: string | undefined
  }
  /** No readable response arrived. It is unknown whether the request was executed. */
  | { readonly kind: "unreachable"; readonly message: string }

/** The only error of a `Service`. */
export class ServiceError extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, cause?: unknown) {
    const message = reason.kind === "refused" ? reason.problem.detail : reason.message
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }

  /** The code of a rejected request; undefined for other errors. */
  get rejectionCode(): string | undefined {
    return this.reason.kind === "refused" ? this.reason.problem.code : undefined
  }
}
