/** Types for instruments and their facts. A fact that no source reports is null. */

/** A crypto asset, quoted in USD. */
export interface Coin {
  readonly coin: string
  readonly name: string
  /** The sector of the coin in lower case, such as `layer1`, `defi`, `meme` or `stablecoin`. */
  readonly sector: string
  readonly circulatingSupply: number | null
  /** The maximum number of units that can ever exist; null if there is no limit. */
  readonly maxSupply: number | null
  /** The time of the first price, in epoch milliseconds. A read of an earlier time fails with `NoData`. */
  readonly listedAt: number
  /** The first time without a price, in epoch milliseconds; null while the coin trades. */
  readonly delistedAt: number | null
  readonly isStablecoin: boolean
}

export type EquityCountry = "US" | "KR"
export const usExchanges = ["NASDAQ", "NYSE", "NYSE Arca", "NYSE American", "Cboe BZX"] as const
export const koreanExchanges = ["KOSPI", "KOSDAQ", "KONEX"] as const
/** The exchange on which a share or a fund is listed. A share or a fund may also trade on other exchanges. */
export type EquityExchange = typeof usExchanges[number] | typeof koreanExchanges[number]
export type EquityCurrency = "USD" | "KRW"

/** A share of a listed company or a fund. */
export interface Stock {
  /** The stock's ticker on its market, such as `AAPL` or `005930`. */
  readonly symbol: string
  readonly name: string
  readonly koreanName: string | null
  readonly country: EquityCountry
  readonly exchange: EquityExchange
  readonly currency: EquityCurrency
  /** The sector of the stock; null for a fund. */
  readonly sector: string | null
  readonly sharesOutstanding: number | null
  /** The first time with a price, in epoch milliseconds; null if the listing is older than the records. */
  readonly listedAt: number | null
  /** The first time after the stock's last session, in epoch milliseconds; null while the stock trades. */
  readonly delistedAt: number | null
}
