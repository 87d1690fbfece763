import type { FailureCode } from "../tool/failure.ts"

/** What every call that was made properly answers. `data` is the tool's result, or `{ error }` of a failed call. */
export interface Envelope {
  readonly tool: string
  /** Credits charged; 0 when the call failed. */
  readonly credits_used: number
  /**
   * Allotted - used - reserved as it stood right after this call's admission, or, for a failed call, after its
   * release. Absent when the call is part of an answer that pays for it.
   */
  readonly credits_left?: number
  readonly took_ms: number
  readonly data: unknown
}

/** The `data` of a failed call. */
export interface FailedData {
  readonly error: { readonly code: FailureCode; readonly message: string; readonly retryable: boolean }
}
