import type { SourceFailure } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"

/** Failures that do not change by asking again soon. */
export const lasting: ReadonlyArray<SourceFailure> = ["blocked", "not_configured"]

/** Whether a source fails so that asking it again soon changes nothing. */
export const isLasting = ({ failure }: Pick<SourceUnavailable, "failure">): boolean => lasting.includes(failure)
