/**
 * Order books.
 */

export interface BookLevel {
  /** USD per coin. */
  readonly price: number
  /** Coins resting at that price. */
  readonly size: number
}

/** The spot book at an instant, aggregated: best first, at least 1 % of price deep where its venue tells it. */
export interface OrderBook {
  readonly time: number
  readonly bids: ReadonlyArray<BookLevel>
  readonly asks: ReadonlyArray<BookLevel>
  /**
   * How far from the middle a side is known, as a fraction of the middle: all its levels are within, and what rests
   * beyond is not told. Without it the side is known whole.
   */
  readonly bidsReach?: number
  readonly asksReach?: number
}
