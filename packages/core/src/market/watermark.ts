import type { MarketRead } from "./reading.ts"

/** The watermark of one coin's series, and the identifier of the content below the watermark. */
export interface Watermark {
  /** The watermark, in epoch ms, never after the present, before which no more data is expected. */
  readonly contiguousUntil: number
  /**
   * An opaque text that identifies the content below `contiguousUntil`: candles that closed by then, and earlier
   * records and events.
   *
   * - Equal revisions mean equal content. Another read, also by another process, returns equal data up to the smaller
   *   of the two watermarks.
   * - Data recorded at or after the watermark keeps the revision and advances the watermark. A backfill or a correction
   *   below the watermark creates a new revision that was never used before.
   * - Data and revision change together. If a caller reads the revision, then data, then an equal revision again, the
   *   data belongs to the revision.
   */
  readonly revision: string
}

/**
 * Returns the watermarks of the requested coins, by coin, in one read that is cheap compared to the series. A coin
 * without any record (unknown, not collected yet, no such series) is missing. A coin with data is never missing. The
 * reading names every source of the recorded data.
 */
export type WatermarkRead = (coins: ReadonlyArray<string>) => MarketRead<ReadonlyMap<string, Watermark>>
