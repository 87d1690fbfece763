import type { TrackedCoin } from "../collect/index.ts"
import type { CollectOptions } from "../collect/layerCollectors.ts"
import type { NewsFeedSource } from "../news/feedList.ts"
import type { ReconnectPolicy, RetryPolicy } from "../source/index.ts"
import type { StockList } from "../yahoo/knownStocks.ts"
import type { Retention } from "./retention.ts"

/**
 * The base URLs of the sources. Each one defaults to the source's public address. The server has an environment
 * variable for each.
 */
export interface SourceUrls {
  readonly upbit?: string
  readonly bithumb?: string
  readonly ecb?: string
  readonly coinPaprika?: string
  readonly coinGecko?: string
  readonly defiLlama?: string
  readonly binanceSpot?: string
  readonly binanceFutures?: string
  readonly binanceStreams?: string
  readonly blueskyStreams?: string
  readonly bybit?: string
  readonly bybitStreams?: string
  readonly okx?: string
  readonly okxStreams?: string
  readonly deribit?: string
  readonly deribitHistory?: string
  readonly geckoTerminal?: string
  readonly dexScreener?: string
  readonly yahoo?: string
  /** The website of Yahoo, which issues the credentials for its API. */
  readonly yahooSite?: string
  readonly edgar?: string
  readonly edgarData?: string
  readonly usTreasury?: string
  readonly fiscalData?: string
  readonly federalReserve?: string
  readonly bls?: string
  readonly bea?: string
  readonly ecos?: string
  readonly openDart?: string
}

/** Keys that some sources require. Without a key, the source is not used. */
export interface SourceKeys {
  /** The name and email address that EDGAR requires in requests. */
  readonly edgarContact?: string
  readonly ecos?: string
  readonly openDart?: string
}

/** The settings of the live market. */
export interface LiveSettings {
  readonly urls?: SourceUrls
  readonly keys?: SourceKeys
  /** The coins to collect; `trackedCoins` by default. */
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** The news feeds to read; `defaultNewsFeeds` by default. */
  readonly newsFeeds?: ReadonlyArray<NewsFeedSource>
  /** How many days are backfilled: candles, prices per minute, perpetuals, and prices in won (`krwDays`). */
  readonly candleDays?: number
  readonly priceDays?: number
  readonly derivativeDays?: number
  /** Enables the stock prices of Yahoo. By this value the operator confirms that the data is only for personal use. */
  readonly yahoo?: "personal"
  /** The stocks to collect, over which breadth and sectors are computed; `defaultStocks` by default. */
  readonly stocks?: StockList
  readonly krwDays?: number
  /** Overrides of `defaultRetention`. */
  readonly retention?: Partial<Retention>
  /** Overrides of `liveRetryPolicy`. */
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
  readonly collect?: CollectOptions
}

/**
 * The patience for sources that tools request while a caller waits. A silent source fails before the tool's own
 * limit of 10 s. A source that was away for long is tried again within a minute.
 */
export const liveRetryPolicy: Partial<RetryPolicy> = {
  timeoutMs: 5_000,
  maxTries: 2,
  callTimeoutMs: 8_000,
  maxOpenMs: 60_000
}

/** The patience for sources of which two may be requested in turn while a caller waits. */
export const briefRetryPolicy: Partial<RetryPolicy> = {
  ...liveRetryPolicy,
  timeoutMs: 3_000,
  maxTries: 1,
  callTimeoutMs: 4_000
}
