/**
 * Order books.
 */

export interface BookLevel {
  /** USD per coin. */
  readonly price: number
  /** Coins at this price. */
  readonly size: number
}

/**
 * The aggregated spot order book at one time, best price first. At least 1 % of the price deep if the venue publishes
 * that much.
 */
export interface OrderBook {
  readonly time: number
  readonly bids: ReadonlyArray<BookLevel>
  readonly asks: ReadonlyArray<BookLevel>
  /**
   * The depth to which a side is known, as a fraction of the mid price. All its levels are within this depth, and
   * orders beyond it are unknown. If absent, the whole side is known.
   */
  readonly bidsReach?: number
  readonly asksReach?: number
}
