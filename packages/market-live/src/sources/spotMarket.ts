/** A spot market of one coin. */
export interface SpotMarket {
  /** The venue's ticker of the coin. */
  readonly coin: string
  readonly symbol: string
  readonly quote: string
  /** False if the market is delisted, halted, or not open yet. */
  readonly trades: boolean
}
