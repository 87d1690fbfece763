import { type SourceFailure } from "@tapeline/core/engine"
import { SourceUnavailable } from "@tapeline/core/market"

/** Why a try failed, and the consequences for the next try. */
export interface Fault {
  readonly failure: SourceFailure
  /** One sentence without secrets: no query, no body. */
  readonly reason: string
  /** Whether another try within the same call may help. */
  readonly canRetry: boolean
  /** The source responded, but not with the requested data. Requests for other data can still succeed. */
  readonly hasResponded?: true
  /** When the source accepts requests again, by its own response. */
  readonly retryAfterMs?: number
  readonly variable?: string
  /** Rejections that last for `afterMs` without a successful response count as `blocked`, for this reason. */
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

/** The error of a source that needs a setting of the operator. No request is sent to it. */
export const notConfigured = (source: string, variable: string, needs: string): SourceUnavailable =>
  toSourceUnavailable(source, {
    failure: "not_configured",
    reason: `it needs ${needs}: set ${variable}`,
    canRetry: false,
    variable
  })

/**
 * The error for an unreadable row of a list that may be the requested item, so it is unknown whether the item is
 * listed.
 */
export const unreadableRow = (source: string, subject: string): SourceUnavailable =>
  toSourceUnavailable(source, {
    failure: "malformed",
    reason: `its list has a row that cannot be read, and may be of ${subject}`,
    canRetry: false
  })

export const unreachable = (reason: string, canRetry = true): Fault => ({ failure: "unreachable", reason, canRetry })

export const malformed = (reason: string): Fault => ({ failure: "malformed", reason, canRetry: false })

export const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`
