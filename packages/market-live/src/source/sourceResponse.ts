import type { SourceResponse } from "./request.ts"

/** Returns a response with another value, which is derived from the response's value. */
export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/**
 * Returns the current time at the source: the earlier of the source's clock and the local clock. A running period
 * therefore never counts as ended if one clock is wrong.
 */
export const sourceTimeOf = ({ date, receivedAt }: SourceResponse<unknown>): number =>
  Math.min(date ?? receivedAt, receivedAt)
