import type { SourceResponse } from "./request.ts"

/** Returns the same answer with another value, which is derived from its value. */
export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/** The earlier of the source's clock and ours, so that a running period never counts as over if one clock is wrong. */
export const sourceTimeOf = ({ date, receivedAt }: SourceResponse<unknown>): number =>
  Math.min(date ?? receivedAt, receivedAt)
