/** A price level of an order book. */

export interface BookLevel {
  readonly price: number
  /** The quantity that is offered or wanted at `price`, in coins. */
  readonly size: number
}

/**
 * The aggregated spot order book at one time, best price first. The levels reach at least 1 % from the price, if the
 * source publishes that many levels.
 */
export interface OrderBook {
  readonly time: number
  readonly bids: ReadonlyArray<BookLevel>
  readonly asks: ReadonlyArray<BookLevel>
  /**
   * The distance from the mid price to the lowest known bid, as a fraction of the mid price; absent if all bids are
   * known.
   */
  readonly bidsReach?: number
  readonly asksReach?: number
}
