import { type SourceFailure } from "@tapeline/core/engine"
import { SourceUnavailable } from "@tapeline/core/market"

/** Why a try failed, and what that means for the next one. */
export interface Fault {
  readonly failure: SourceFailure
  /** One sentence without secrets: no query, no body. */
  readonly reason: string
  /** Whether another try within the same call may help. */
  readonly again: boolean
  /** It answered, though not with what was asked for: who asks it for something else need not be kept from it. */
  readonly isThere?: true
  /** The source's own word on when it may be asked again. */
  readonly retryAfterMs?: number
  readonly variable?: string
  /** A refusal that lasts for `afterMs` without an answer counts as `blocked`, for this reason. */
  readonly blockedIfLasting?: { readonly afterMs: number; readonly reason: string }
}

const permanent = new Set<SourceFailure>(["blocked", "not_configured"])

export const unavailable = (
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

/** A source that needs something of the operator first: nothing is asked of it. */
export const notConfigured = (source: string, variable: string, needs: string): SourceUnavailable =>
  unavailable(source, {
    failure: "not_configured",
    reason: `it needs ${needs}: set ${variable}`,
    again: false,
    variable
  })

/** A row of a list cannot be read, and may be of what was asked for: it is not known whether that is listed. */
export const notRead = (source: string, of: string): SourceUnavailable =>
  unavailable(source, {
    failure: "malformed",
    reason: `its list has a row that cannot be read, and may be of ${of}`,
    again: false
  })

export const unreachable = (reason: string, again = true): Fault => ({ failure: "unreachable", reason, again })

export const malformed = (reason: string): Fault => ({ failure: "malformed", reason, again: false })

export const seconds = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1_000))} s`
