import type { MarketRead } from "./reading.ts"

/** The watermark of one coin's series, and the identifier of the content below the watermark. */
export interface Watermark {
  /**
   * The watermark, in epoch ms, never after the present. All data before the watermark is recorded or known to be lost.
   */
  readonly contiguousUntil: number
  /**
   * Identifies the content before `contiguousUntil`. The content consists of all candles that closed by
   * `contiguousUntil`, and of all earlier records and events.
   *
   * - If two reads have the same revision, they return the same data before the earlier of the two watermarks.
   * - Data that is recorded at or after the watermark advances the watermark and does not change the revision. If data
   *   before the watermark is added or corrected, the store creates a revision that was never used before.
   * - The data and its revision change together. If the revision is the same before and after a caller reads the data,
   *   the data belongs to that revision.
   */
  readonly revision: string
}

/**
 * Returns the watermark of each requested coin, by coin, in one read. Reading watermarks is cheap compared to reading
 * the series. The result omits coins without recorded data. The reading names the sources of all recorded data.
 */
export type WatermarkRead = (coins: ReadonlyArray<string>) => MarketRead<ReadonlyMap<string, Watermark>>
