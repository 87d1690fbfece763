import type { SourceResponse } from "./request.ts"

export const withValue = <B>(answer: SourceResponse<unknown>, value: B): SourceResponse<B> => ({ ...answer, value })

/**
 * Returns the earlier of a response's source time and reception time, so that a running period never counts as ended.
 */
export const sourceTimeOf = ({ date, receivedAt }: Pick<SourceResponse<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)
