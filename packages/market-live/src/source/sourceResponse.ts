import type { SourceResponse } from "./request.ts"

export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/**
 * Returns the time of a response by the source's clock, but at most the time of reception. With this limit, a period
 * that is still running never counts as ended.
 */
export const sourceTimeOf = ({ date, receivedAt }: Pick<SourceResponse<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)
