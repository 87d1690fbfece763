import type { MarketRead } from "./reading.ts"

/**
 * How far a series of one coin is recorded, and which content that is: what is derived from what lies below the mark
 * may be remembered under the revision.
 */
export interface Recorded {
  /**
   * Everything before it has been recorded, or is known to be lost: nothing of it is awaited any more. Epoch ms, never
   * after the present. Of a coin that is not listed yet, or not any more, nothing is awaited.
   */
  readonly contiguousUntil: number
  /**
   * Names the content below `contiguousUntil`: candles that closed by it, records and events before it. Opaque text.
   *
   * - The same revision is the same content: read at another time, or by another process, it has the same data up to
   * the smaller of the two marks.
   * - What is recorded at or after the mark changes no revision; the mark goes on. What is recorded or corrected below
   *   it (a backfill, a mended candle) gives another revision, which was never in use before.
   * - Data and revision change together: who reads the revision, then data, then the same revision again, has read that
   *   revision's data.
   */
  readonly revision: string
}

/**
 * What is recorded of the coins asked for, by coin: one read, cheap beside the series themselves. A coin without any
 * record (unknown, nothing collected yet, no such series) is missing; one that has data never is. The reading
 * names every source of what is recorded of them: values that are derived from it are told with these.
 */
export type RecordedRead = (coins: ReadonlyArray<string>) => MarketRead<ReadonlyMap<string, Recorded>>
