import type { MarketRead } from "./reading.ts"

/** The watermark of one coin's series, and the identifier of the content below the watermark. */
export interface Watermark {
  /**
   * The watermark, in epoch ms, never after the present. No more data is expected before the watermark: earlier data is
   * recorded or known to be lost.
   */
  readonly contiguousUntil: number
  /**
   * An opaque text that identifies the content before `contiguousUntil`. This content includes all candles that closed
   * by then, and all earlier records and events.
   *
   * - Equal revisions mean equal content. Another read with the same revision returns the same data up to the smaller
   *   of both watermarks.
   * - Data recorded at or after the watermark keeps the revision and advances the watermark. A backfill or a correction
   *   below the watermark creates a new revision that was never used before.
   * - The data and its revision change together. If a caller reads the same revision before and after it reads the
   *   data, the data belongs to that revision.
   */
  readonly revision: string
}

/**
 * Returns the watermark of each requested coin, by coin, in one read. Reading watermarks is cheap compared to reading
 * the series. Coins without any record have no watermark and are missing. The reading names every source of the
 * recorded data.
 */
export type WatermarkRead = (coins: ReadonlyArray<string>) => MarketRead<ReadonlyMap<string, Watermark>>
