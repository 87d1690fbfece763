import type { Interval } from "@tapeline/core/market"
import type { Answer } from "../source/index.ts"

/** By then a source has told what it has: what is not there is nothing. */
const settledMs = 600_000

/** The source's present, by the earlier one of both clocks. */
export const presentOf = ({ date, receivedAt }: Pick<Answer<unknown>, "date" | "receivedAt">): number =>
  Math.min(date ?? receivedAt, receivedAt)

/**
 * Until when an answer of whole buckets told everything of the interval that was asked for: to its end, where that is
 * long over, or was told; else to the end of its last bucket, since one that comes late looks like one that is none.
 */
export const toldUntil = (
  { from, to }: Interval,
  { answer, most, stepMs, times }: {
    readonly answer: Pick<Answer<unknown>, "date" | "receivedAt">
    /** Of the buckets that it told, ascending. */
    readonly times: ReadonlyArray<number>
    /** No more are in one answer. */
    readonly most: number
    readonly stepMs: number
  }
): number => {
  const last = times.at(-1)
  const told = last === undefined ? from : last + stepMs
  if (times.length >= most) return Math.min(told, to)
  const settled = Math.floor((presentOf(answer) - settledMs) / stepMs) * stepMs
  return Math.max(from, Math.min(to, Math.max(told, settled)))
}
