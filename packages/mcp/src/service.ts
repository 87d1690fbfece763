/** A tool in the service's catalogue, with the fields that an MCP bridge uses. */
export interface CatalogueTool {
  readonly name: string
  readonly area: string
  readonly summary: string
  readonly credits: number
  readonly scope?: string | undefined
  /** Any one of the listed scopes grants access to the tool. */
  readonly scopes_any?: ReadonlyArray<string> | undefined
  /** The JSON Schema (2020-12) of the tool's arguments. */
  readonly parameters: JsonSchema
  /** The JSON Schema (2020-12) of the tool's result. */
  readonly result?: JsonSchema | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** The tools and operations that an API key may call. */
export interface Catalogue {
  readonly tools: ReadonlyArray<CatalogueTool>
  /** The operations that are not tools, including `agent.answer` if the API key may use the analyst. */
  readonly operations: ReadonlyArray<{ readonly name: string; readonly scope: string; readonly credits: number }>
}

/** The result and the cost of a successful tool call. */
export interface CallResponse {
  readonly data: unknown
  readonly credits_used: number
  readonly credits_left: number
  /** The id of the call; undefined if an older version of the service omits the id. */
  readonly call_id?: string | undefined
}

/** A question to the analyst. */
export interface Question {
  readonly message: string
  readonly conversation_id?: number
  readonly coin?: string
  readonly lang?: "en" | "ko" | "ru"
  readonly mode?: "analyst" | "mentor"
}

/** A change of a record that an answer proposes. Nothing is written until the proposal is accepted. */
export interface Proposal {
  readonly id: string
  readonly tool: string
  readonly arguments: unknown
  /** A description of the change, in the language of the answer. */
  readonly summary: string
}

/** The state of a proposal after its acceptance, with the response of the call or the error. */
export interface AcceptedProposal extends Proposal {
  readonly state: string
  readonly envelope: unknown
  readonly error: { readonly code: string; readonly message: string } | null
}

/** A complete answer of the analyst. */
export interface AnalystAnswer {
  readonly answer: string
  readonly conversation_id: number
  readonly outcome: "finished" | "cancelled" | "failed"
  /** The charged credits. Undefined if the bridge read the end of the answer from the stored conversation. */
  readonly credits_used?: number | undefined
  readonly credits_left?: number | undefined
  readonly suggestions: ReadonlyArray<string>
  /** A note about the origin of the answer; undefined if the model has none, or an older service sends none. */
  readonly disclaimer?: string | undefined
  /** The proposals of the answer; undefined if the answer proposes nothing. */
  readonly proposals?: ReadonlyArray<Proposal> | undefined
  /** The id of the answer; undefined if an older version of the service omits the id. */
  readonly call_id?: string | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** The abort signals and the progress callback of a question. */
export interface QuestionSignals {
  /** The signal of a cancellation, after which the service ends the answer and stores the output so far. */
  readonly cancelled: AbortSignal
  /**
   * Aborts when the caller disconnects without cancelling the question. After a disconnection, the service completes
   * and stores the answer.
   */
  readonly disconnected?: AbortSignal | undefined
  readonly onProgress: (text: string) => void
}

/** The Tapeline service for one caller. The methods reject with a `ServiceError` or with the reason of an abort. */
export interface Service {
  /**
   * Returns the catalogue of tools that the caller may call. The method returns an identical object while the catalogue
   * is unchanged.
   */
  readonly catalogue: (signal?: AbortSignal) => Promise<Catalogue>
  readonly call: (name: string, args: unknown, signal: AbortSignal) => Promise<CallResponse>
  /** Asks the analyst and waits for the complete answer. */
  readonly ask: (question: Question, signals: QuestionSignals) => Promise<AnalystAnswer>
  /** Makes the call of a proposal once. A repeated acceptance returns the first result. */
  readonly acceptProposal: (id: string, signal: AbortSignal) => Promise<AcceptedProposal>
}

/** The problem details with which the service rejected a request. */
export interface Problem {
  readonly code: string
  readonly detail: string
  readonly [field: string]: unknown
}

/** The reason why a request to the service failed. */
export type FailureReason =
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The tool could not answer, and the service charged nothing. */
  | {
    readonly kind: "failed"
    readonly code: string
    readonly message: string
    readonly retryable: boolean
    readonly candidates?: ReadonlyArray<{ readonly symbol: string; readonly name: string }> | undefined
    /** The name of the unavailable data source. */
    readonly source?: string | undefined
    readonly failure?: string | undefined
    readonly call_id?: string | undefined
  }
  /** No readable response arrived, and the service may or may not have executed the request. */
  | { readonly kind: "unreachable"; readonly message: string }

/** The only error with which the methods of `Service` reject. */
export class ServiceError extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, cause?: unknown) {
    const message = reason.kind === "refused" ? reason.problem.detail : reason.message
    super(message, cause === undefined ? undefined : { cause })
    this.reason = reason
  }

  /** The error code of a rejected request, or undefined for other errors. */
  get rejectionCode(): string | undefined {
    return this.reason.kind === "refused" ? this.reason.problem.code : undefined
  }
}
