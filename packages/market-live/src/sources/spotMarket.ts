/** A spot market of one coin. */
export interface SpotMarket {
  /** As the venue calls the coin. */
  readonly coin: string
  readonly symbol: string
  readonly quote: string
  /** False of one that was delisted, is halted, or has not opened. */
  readonly trades: boolean
}
