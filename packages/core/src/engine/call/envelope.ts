import { say } from "../messages/language.ts"
import type { Language } from "../messages/languageCode.ts"
import type { FailureCode, ToolFailure } from "../tool/failure.ts"
import type { ResultOf, ToolSpecification } from "../tool/specification.ts"

/** What every call that was made properly answers. `data` is the tool's result, or `{ error }` of a failed call. */
export interface Envelope<Data = unknown> {
  readonly tool: string
  /** Credits charged; 0 when the call failed. */
  readonly credits_used: number
  /**
   * Allotted - used - reserved as it stood right after this call's admission, or, for a failed call, after its
   * release. Absent when the call is part of an answer that pays for it.
   */
  readonly credits_left?: number
  readonly took_ms: number
  readonly data: Data
}

/** The `data` of a failed call. */
export interface FailedData {
  readonly error: {
    readonly code: FailureCode
    readonly message: string
    readonly retryable: boolean
    /** Only of an ambiguous name: the stocks that it may mean. */
    readonly candidates?: NonNullable<ToolFailure["candidates"]>
    /** Only of `source_unavailable`: the source that failed, and how. */
    readonly source?: string
    readonly failure?: NonNullable<ToolFailure["failure"]>
  }
}

/** What a call by name came to. */
export interface CallOutcome {
  readonly envelope: Envelope
  /** Why the tool could not answer, which `envelope.data` holds too; null when it answered. */
  readonly failure: FailedData["error"] | null
  /** True when this is the stored answer of an earlier call with the same idempotency key. */
  readonly replayed: boolean
}

/** What a typed call answers: the envelope, whose `data` is the tool's result and never a failure. */
export interface Answered<S extends ToolSpecification> extends Envelope<ResultOf<S>> {
  readonly tool: S["name"]
  /** True when this is the stored answer of an earlier call with the same idempotency key. */
  readonly replayed: boolean
}

/** A failed call's outcome: what is left of it is what there is to say. */
export const failedOutcome = (
  envelope: Omit<Envelope, "credits_used" | "data">,
  { candidates, code, failure: sourceFailure, retryable, says, source }: ToolFailure,
  language: Language
): CallOutcome => {
  const failure = {
    code,
    message: typeof says === "string" ? says : say(says, language),
    retryable,
    ...(candidates === undefined ? {} : { candidates }),
    ...(source === undefined ? {} : { source }),
    ...(sourceFailure === undefined ? {} : { failure: sourceFailure })
  }
  return { envelope: { ...envelope, credits_used: 0, data: { error: failure } }, failure, replayed: false }
}
