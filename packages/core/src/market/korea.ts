/**
 * KRW markets of coins, the exchange rates that make the kimchi premium, and new listings.
 *
 * `1 + premium = (krwPrice / (usdtPrice * usdtKrw)) * (usdtKrw / usdKrw)`: asset leg times currency leg.
 */

import type { Reading } from "./reading.ts"

export type KrwExchange = "upbit" | "bithumb"

/** One coin on one KRW exchange now. */
export interface KrwTicker {
  /** When the exchange told it: each market has its own. */
  readonly time: number
  readonly coin: string
  readonly exchange: KrwExchange
  /** KRW per coin. */
  readonly krwPrice: number
  /** The same coin against USDT abroad at that instant; null for a coin that nobody quotes abroad. */
  readonly usdtPrice: number | null
  /** Null when the market is younger than 24 hours, or the source has no older price. */
  readonly change24hPct: number | null
  /** Of 24 hours as the exchange counts them, so that an outage of the records takes nothing of it. */
  readonly volume24hKrw: number
  /** When this market opened on this exchange; null for one that is older than the records. */
  readonly listedAt: number | null
}

/** One coin on a KRW exchange through time, with what is needed to split its premium into legs. */
export interface KrwPoint {
  readonly time: number
  readonly krwPrice: number
  /** Null where the part was not recorded, or nobody quotes the coin abroad. */
  readonly usdtPrice: number | null
  readonly usdtKrw: number | null
  readonly usdKrw: number | null
}

/**
 * `usd_krw`: the interbank rate (weekdays; the last rate stands at weekends), or that of a day where no source tells
 * more (`isDailyRate`). `usdt_krw`: USDT on KRW exchanges.
 */
export type FxPair = "usd_krw" | "usdt_krw"

export interface FxRate {
  /** The instant that the rate holds for. */
  readonly time: number
  /** When it was quoted: `time`, or earlier while the market rests or the source lags. */
  readonly quotedAt: number
  readonly pair: FxPair
  /** KRW per unit. */
  readonly rate: number
}

/** Sources that tell one rate a working day: where the market was at one instant of it, not where it is. */
const dailyRateSources: ReadonlyArray<string> = ["ecb"]

/** Whether a rate is one of those. */
export const isDailyRate = ({ sources }: Pick<Reading<FxRate>, "sources">): boolean =>
  sources.some((source) => dailyRateSources.includes(source))

/** A market against the won that an exchange opened for trade. */
export interface KrwListing {
  readonly coin: string
  readonly exchange: KrwExchange
  readonly listedAt: number
  /** True where the exchange does not tell when it opened, and `listedAt` is when something was traded first. */
  readonly inferred?: boolean
  /** When the exchange ended its trade; null while it runs. */
  readonly delistedAt: number | null
}
