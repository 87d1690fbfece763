import type { SourceResponse } from "./request.ts"

export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/**
 * Returns the time of a response by the source's clock, but at most the time of reception. Without this limit, a period
 * that is still running could count as ended.
 */
export const sourceTimeOf = ({ date, receivedAt }: Pick<SourceResponse<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)
