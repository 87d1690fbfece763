/**
 * KRW markets of coins, the exchange rates of the kimchi premium, and new listings.
 *
 * `1 + premium = (krwPrice / (usdtPrice * usdtKrw)) * (usdtKrw / usdKrw)`: asset leg times currency leg.
 */

import type { Reading } from "./reading.ts"

export type KrwExchange = "upbit" | "bithumb"

/** The current market of one coin on one KRW exchange. */
export interface KrwTicker {
  readonly time: number
  readonly coin: string
  readonly exchange: KrwExchange
  readonly krwPrice: number
  /** The price of the coin in USDT outside Korea at `time`; null for a coin that no market outside Korea quotes. */
  readonly usdtPrice: number | null
  /** The price change of 24 hours, in percent; null without a price of 24 hours ago. */
  readonly change24hPct: number | null
  /** The volume of 24 hours as the exchange counts it, so that outages of the records do not reduce the volume. */
  readonly volume24hKrw: number
  /** The opening time of the market on this exchange; null if the market is older than the records. */
  readonly listedAt: number | null
}

/** The market of one coin on a KRW exchange at one time, with the exchange rates that split its premium into legs. */
export interface KrwPoint {
  readonly time: number
  readonly krwPrice: number
  /** The price of the coin in USDT outside Korea; null if not recorded, or if no market quotes the coin. */
  readonly usdtPrice: number | null
  readonly usdtKrw: number | null
  readonly usdKrw: number | null
}

/**
 * The currency pair of an exchange rate. `usd_krw` is the interbank rate (at weekends, the last rate), or a daily rate
 * (`isDailyRate`) if no source reports the interbank rate. `usdt_krw` is USDT on KRW exchanges.
 */
export type FxPair = "usd_krw" | "usdt_krw"

export interface FxRate {
  readonly time: number
  /** The time of the quote: `time`, or earlier while the market is closed or the source lags. */
  readonly quotedAt: number
  readonly pair: FxPair
  /** The rate in KRW per USD or USDT. */
  readonly rate: number
}

/** The sources that publish one rate per working day, which is not the current rate. */
const dailyRateSources: ReadonlyArray<string> = ["ecb"]

/** Returns whether an exchange rate is a daily rate. */
export const isDailyRate = ({ sources }: Pick<Reading<FxRate>, "sources">): boolean =>
  sources.some((source) => dailyRateSources.includes(source))

/** A KRW market that an exchange opened. */
export interface KrwListing {
  readonly coin: string
  readonly exchange: KrwExchange
  readonly listedAt: number
  /** Whether the exchange does not publish the opening time, so that `listedAt` is the time of the first trade. */
  readonly inferred?: boolean
  /** The time at which the exchange closed the market; null while the market is open. */
  readonly delistedAt: number | null
}
