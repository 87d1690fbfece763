import type { SourceResponse } from "./request.ts"

export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/**
 * Returns the time of a response: the source's time, or the time of reception if it is earlier. A running period
 * therefore never counts as ended.
 */
export const sourceTimeOf = ({ date, receivedAt }: Pick<SourceResponse<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)
