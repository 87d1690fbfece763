/**
 * Types for the KRW markets of coins and the exchange rates of the kimchi premium.
 *
 * `1 + premium = (krwPrice / (usdtPrice * usdtKrw)) * (usdtKrw / usdKrw)`. The first factor, the asset leg, is the
 * premium of the coin against USDT. The second factor, the currency leg, is the premium of USDT against the dollar.
 */

import type { Reading } from "./reading.ts"

export type KrwExchange = "upbit" | "bithumb"

/** The current market of one coin on one KRW exchange. */
export interface KrwTicker {
  readonly time: number
  readonly coin: string
  readonly exchange: KrwExchange
  readonly krwPrice: number
  /** The price of the coin in USDT outside Korea at `time`; null if no market outside Korea quotes the coin. */
  readonly usdtPrice: number | null
  /** The price change of the last 24 hours, in percent; null if there is no price of 24 hours ago. */
  readonly change24hPct: number | null
  /**
   * The volume of the last 24 hours, as the exchange reports it. Gaps in the stored records do not lower the reported
   * volume.
   */
  readonly volume24hKrw: number
  /** The opening time of the market on this exchange; null if the market is older than the records. */
  readonly listedAt: number | null
}

/**
 * The KRW market of one coin on one exchange at one time, with the exchange rates that determine the kimchi premium.
 */
export interface KrwPoint {
  readonly time: number
  readonly krwPrice: number
  /** The price of the coin in USDT outside Korea; null if no market quotes the coin, or no price was recorded. */
  readonly usdtPrice: number | null
  readonly usdtKrw: number | null
  readonly usdKrw: number | null
}

/**
 * The currency pair of an exchange rate. `usd_krw` is the interbank rate; at weekends, the last interbank rate. If no
 * source reports the interbank rate, `usd_krw` is a daily rate (see `isDailyRate`). `usdt_krw` is the price of USDT on
 * KRW exchanges.
 */
export type FxPair = "usd_krw" | "usdt_krw"

export interface FxRate {
  readonly time: number
  /**
   * The time of the quote, at or before `time`. A quote is older than `time` while the market is closed or the source
   * lags.
   */
  readonly quotedAt: number
  readonly pair: FxPair
  /** The rate in KRW per USD or USDT. */
  readonly rate: number
}

/** The sources that publish only one rate per working day. */
const dailyRateSources: ReadonlyArray<string> = ["ecb"]

/** Returns whether an exchange rate is a daily rate. */
export const isDailyRate = ({ sources }: Pick<Reading<FxRate>, "sources">): boolean =>
  sources.some((source) => dailyRateSources.includes(source))

/** A KRW market that an exchange opened. */
export interface KrwListing {
  readonly coin: string
  readonly exchange: KrwExchange
  readonly listedAt: number
  /** Whether `listedAt` is the time of the first trade, because the exchange does not publish the opening time. */
  readonly inferred?: boolean
  /** The time at which the exchange closed the market; null while the market is open. */
  readonly delistedAt: number | null
}
