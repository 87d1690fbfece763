import { type SourceFailure } from "@tapeline/core/engine"
import { SourceUnavailable } from "@tapeline/core/market"

/** The reason for which a request failed, and the consequences for further tries. */
export interface Fault {
  readonly failure: SourceFailure
  /** The reason in one sentence, without secrets such as the query or the body. */
  readonly reason: string
  /** Whether another try within the same call may succeed. */
  readonly canRetry: boolean
  /** Whether the source responded without the requested data, so that requests for other data may succeed. */
  readonly hasResponded?: true
  /** The time until the source accepts requests again, in milliseconds. */
  readonly retryAfterMs?: number
  readonly variable?: string
  /**
   * If rejections continue for `afterMs` without a successful response, the rejections count as `blocked` for the given
   * reason.
   */
  readonly blockedIfLasting?: { readonly afterMs: number; readonly reason: string }
}

const permanent = new Set<SourceFailure>(["blocked", "not_configured"])

export const toSourceUnavailable = (
  source: string,
  { failure, reason, retryAfterMs, variable }: Fault
): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure,
    reason,
    retryable: !permanent.has(failure),
    ...(variable === undefined ? {} : { variable }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)) })
  })

/** Returns the error of a source that requires a setting by the operator. */
export const notConfigured = (source: string, variable: string, needs: string): SourceUnavailable =>
  toSourceUnavailable(source, {
    failure: "not_configured",
    reason: `requires ${needs}: set ${variable}`,
    canRetry: false,
    variable
  })

/** Returns the error for a list that contains an unreadable row. The unreadable row may be the requested item. */
export const unreadableRow = (source: string, subject: string): SourceUnavailable =>
  toSourceUnavailable(source, {
    failure: "malformed",
    reason: `its list contains an unreadable row, which may be ${subject}`,
    canRetry: false
  })

export const unreachable = (reason: string, canRetry = true): Fault => ({ failure: "unreachable", reason, canRetry })

export const malformed = (reason: string): Fault => ({ failure: "malformed", reason, canRetry: false })

export const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`
