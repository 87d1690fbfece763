/** A price level of an order book. */

export interface BookLevel {
  readonly price: number
  /** The number of coins at this price. */
  readonly size: number
}

/** The aggregated spot order book at one time, best price first, to at least 1 % of the price if published. */
export interface OrderBook {
  readonly time: number
  readonly bids: ReadonlyArray<BookLevel>
  readonly asks: ReadonlyArray<BookLevel>
  /** The depth to which bids are known, as a fraction of the mid price; absent if all bids are known. */
  readonly bidsReach?: number
  readonly asksReach?: number
}
