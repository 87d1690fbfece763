import { formatMessage } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import type { FailureCode, ToolFailure } from "../tool/failure.ts"
import type { ResultOf, ToolSpecification } from "../tool/specification.ts"

/** The response to an admitted call. `data` is the tool's result, or `{ error }` for a failed call. */
export interface Envelope<Data = unknown> {
  readonly tool: string
  /** The number of charged credits; 0 if the call failed. */
  readonly credits_used: number
  /**
   * The monthly credits that were neither used nor reserved when the call was admitted or released. Undefined if an
   * answer or another call pays for the call.
   */
  readonly credits_left?: number
  readonly took_ms: number
  readonly data: Data
}

/** The `data` of a failed call's envelope. */
export interface FailedData {
  readonly error: {
    readonly code: FailureCode
    readonly message: string
    readonly retryable: boolean
    /** The stocks that an ambiguous name may mean; absent unless the name is ambiguous. */
    readonly candidates?: NonNullable<ToolFailure["candidates"]>
    /** The source that failed; absent unless a source was unavailable. */
    readonly source?: string
    readonly failure?: NonNullable<ToolFailure["failure"]>
  }
}

/** The outcome of a call that was made by the tool's name. */
export interface CallOutcome {
  readonly envelope: Envelope
  /** The error of a failed call, equal to the error in `envelope.data`; null for a successful call. */
  readonly failure: FailedData["error"] | null
  /** Whether the response is the stored response of an earlier call with an equal idempotency key. */
  readonly replayed: boolean
  /**
   * The id of the call that was charged or failed, such as `call_202611_4711`. A replayed response has the id of the
   * earlier call. The id is null if an answer or another call pays for the call.
   */
  readonly callId: string | null
}

/** The response to a typed call. `data` is the result of a successful call. */
export interface ToolResponse<S extends ToolSpecification> extends Envelope<ResultOf<S>> {
  readonly tool: S["name"]
  readonly replayed: boolean
  readonly callId: string | null
}

export const makeFailedOutcome = (
  envelope: Omit<Envelope, "credits_used" | "data">,
  { candidates, code, failure: sourceFailure, retryable, callerMessage, source }: ToolFailure,
  language: Language,
  callId: string | null
): CallOutcome => {
  const failure = {
    code,
    message: typeof callerMessage === "string" ? callerMessage : formatMessage(callerMessage, language),
    retryable,
    ...(candidates === undefined ? {} : { candidates }),
    ...(source === undefined ? {} : { source }),
    ...(sourceFailure === undefined ? {} : { failure: sourceFailure })
  }
  return { envelope: { ...envelope, credits_used: 0, data: { error: failure } }, failure, replayed: false, callId }
}
