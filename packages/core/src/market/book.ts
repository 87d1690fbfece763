/**
 * Order books.
 */

export interface BookLevel {
  /** USD per coin. */
  readonly price: number
  /** Coins resting at that price. */
  readonly size: number
}

/** A snapshot of the aggregated spot book: both sides best first, at least 1 % of price deep where it exists. */
export interface OrderBook {
  readonly time: number
  readonly bids: ReadonlyArray<BookLevel>
  readonly asks: ReadonlyArray<BookLevel>
}
