import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"

/** Failures that a retry soon afterwards does not resolve. */
export const lasting: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Whether a retry soon afterwards cannot resolve a failure. */
export const isLasting = ({ failure }: Pick<SourceUnavailable, "failure">): boolean => lasting.includes(failure)
