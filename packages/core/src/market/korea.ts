/**
 * KRW markets of coins, the exchange rates that make the kimchi premium, and new listings.
 *
 * `1 + premium = (krwPrice / (usdtPrice * usdtKrw)) * (usdtKrw / usdKrw)`: asset leg times currency leg.
 */

export type KrwExchange = "upbit" | "bithumb"

/** One coin on one KRW exchange now. */
export interface KrwTicker {
  readonly time: number
  readonly coin: string
  readonly exchange: KrwExchange
  /** KRW per coin. */
  readonly krwPrice: number
  /** The same coin against USDT abroad at the same instant. */
  readonly usdtPrice: number
  readonly change24hPct: number
  readonly volume24hKrw: number
  /** When this market opened on this exchange. */
  readonly listedAt: number
}

/** One coin on a KRW exchange through time, with what is needed to split its premium into legs. */
export interface KrwPoint {
  readonly time: number
  readonly krwPrice: number
  readonly usdtPrice: number
  readonly usdtKrw: number
  readonly usdKrw: number
}

/** `usd_krw`: the interbank rate (weekdays; the last rate stands at weekends). `usdt_krw`: USDT on KRW exchanges. */
export type FxPair = "usd_krw" | "usdt_krw"

export interface FxRate {
  readonly time: number
  readonly pair: FxPair
  /** KRW per unit. */
  readonly rate: number
}

/** A coin that a KRW exchange opened for trade. */
export interface KrwListing {
  readonly coin: string
  readonly exchange: KrwExchange
  readonly listedAt: number
}
