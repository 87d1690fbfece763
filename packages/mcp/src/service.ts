/** A tool as the service's catalogue has it, with what a bridge tells of it. */
export interface CatalogueTool {
  readonly name: string
  readonly area: string
  readonly summary: string
  readonly credits: number
  /** The scope that the tool requires. */
  readonly scope?: string | undefined
  /** Every scope that opens it. */
  readonly scopes_any?: ReadonlyArray<string> | undefined
  /** JSON Schema 2020-12 of the arguments. */
  readonly parameters: JsonSchema
  /** JSON Schema 2020-12 of the result. */
  readonly result?: JsonSchema | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** What a key may call. */
export interface Catalogue {
  readonly tools: ReadonlyArray<CatalogueTool>
  /** What can be called besides: the analyst is `agent.answer`, where the key may ask it. */
  readonly operations: ReadonlyArray<{ readonly name: string; readonly scope: string; readonly credits: number }>
}

/** What a call that was answered gave, and what it cost. */
export interface Called {
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

/** An answer of the analyst. One that failed is one too, and cost nothing. */
export interface Answered {
  readonly answer: string
  readonly conversation_id: number
  readonly outcome: "finished" | "cancelled" | "failed"
  /** Not known of an answer whose end was read from its conversation. */
  readonly credits_used?: number | undefined
  readonly credits_left?: number | undefined
  readonly suggestions: ReadonlyArray<string>
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** What came of a question, for whoever waits for it. */
export interface Asking {
  /** The caller gives the answer up: it is ended in the service too, and what stands of it is kept there. */
  readonly cancelled: AbortSignal
  /** The caller is gone, and has given nothing up: the answer is written on, and kept in its conversation. */
  readonly left?: AbortSignal | undefined
  /** Told what is done, as it is done. */
  readonly onProgress: (text: string) => void
}

/**
 * What a bridge needs of the service, for one caller. Whatever goes wrong rejects with a `ServiceError`; an abort
 * rejects with its signal's reason.
 */
export interface Service {
  /** What the caller may call now; the same object, where that is known, for as long as nothing has changed. */
  readonly catalogue: (signal?: AbortSignal) => Promise<Catalogue>
  /** Calls a tool. */
  readonly call: (name: string, args: unknown, signal: AbortSignal) => Promise<Called>
  /** Asks the analyst, and waits for the whole answer. */
  readonly ask: (question: Question, asking: Asking) => Promise<Answered>
}

/** What the service refused a request with, as its problem details have it. */
export interface Problem {
  readonly code: string
  readonly detail: string
  readonly [field: string]: unknown
}

/** Why nothing came of a request. */
export type Trouble =
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The tool could not answer, and nothing was charged. */
  | {
    readonly kind: "failed"
    readonly code: string
    readonly message: string
    readonly retryable: boolean
    readonly candidates?: ReadonlyArray<{ readonly symbol: string; readonly name: string }> | undefined
    /** Of a source that is unavailable: which one, and how it failed. */
    readonly source?: string | undefined
    readonly failure?: string | undefined
  }
  /** Nothing came that could be read; whether anything was done is not known. */
  | { readonly kind: "unreachable"; readonly message: string }

/** The one error of a `Service`. */
export class ServiceError extends Error {
  readonly trouble: Trouble

  constructor(trouble: Trouble, cause?: unknown) {
    const message = trouble.kind === "refused" ? trouble.problem.detail : trouble.message
    super(message, cause === undefined ? undefined : { cause })
    this.trouble = trouble
  }

  /** The code of a refusal; undefined of anything else. */
  get refusal(): string | undefined {
    return this.trouble.kind === "refused" ? this.trouble.problem.code : undefined
  }
}
