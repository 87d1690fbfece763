/**
 * Instruments: what can be priced, and the facts about each that do not follow from its price.
 */

/** A crypto asset, quoted in USD. */
export interface Coin {
  /** Ticker, upper case: the identity of the coin everywhere. */
  readonly coin: string
  readonly name: string
  /** Narrative sector, lower case: `layer1`, `defi`, `meme`, `stablecoin`, ... */
  readonly sector: string
  /** Units in circulation now; null where nobody tells. */
  readonly circulatingSupply: number | null
  /** Most units that can ever exist; null when there is no limit. */
  readonly maxSupply: number | null
  /** First instant with a price, epoch milliseconds. Anything earlier is `NoData`. */
  readonly listedAt: number
  /** First instant without a price any more, epoch milliseconds; null while it trades. Its history stays. */
  readonly delistedAt: number | null
  readonly isStablecoin: boolean
}

export type EquityCountry = "US" | "KR"
export const usExchanges = ["NASDAQ", "NYSE", "NYSE Arca", "NYSE American", "Cboe BZX"] as const
export const koreanExchanges = ["KOSPI", "KOSDAQ", "KONEX"] as const
/** Where a share or a fund is listed, not where it trades besides. */
export type EquityExchange = typeof usExchanges[number] | typeof koreanExchanges[number]
export type EquityCurrency = "USD" | "KRW"

/** A listed company's share, or a fund's. */
export interface Stock {
  /** Ticker as its market writes it: `AAPL`, `005930`. */
  readonly symbol: string
  readonly name: string
  /** What it is called in Korean (`삼성전자`, `애플`); null where nobody tells. */
  readonly koreanName: string | null
  readonly country: EquityCountry
  readonly exchange: EquityExchange
  readonly currency: EquityCurrency
  /** Null where nobody tells, and of a fund. */
  readonly sector: string | null
  /** Shares outstanding now; null where nobody tells. */
  readonly sharesOutstanding: number | null
  /** First instant with a price, epoch milliseconds; null for one that is older than the records. */
  readonly listedAt: number | null
  /** First instant after its last session, epoch milliseconds; null while it trades. Its history stays. */
  readonly delistedAt: number | null
}

/** A stock index or volatility index: `SPX`, `NDX`, `DJI`, `RUT`, `VIX`, `KOSPI`, `KOSDAQ`, ... */
export interface EquityIndex {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
}
