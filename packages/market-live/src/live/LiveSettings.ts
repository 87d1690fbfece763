import type { TrackedCoin } from "../collect/index.ts"
import type { CollectOptions } from "../collect/layerCollectors.ts"
import type { NewsFeedSource } from "../news/feedList.ts"
import type { ReconnectPolicy, RetryPolicy } from "../source/index.ts"
import type { SourceUrls } from "../source/SourceUrls.ts"
import type { StockList } from "../yahoo/knownStocks.ts"
import type { Retention } from "./retention.ts"

/** API keys and contacts that some sources require. A source without its required key is not used. */
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
  readonly coins?: ReadonlyArray<TrackedCoin>
  readonly newsFeeds?: ReadonlyArray<NewsFeedSource>
  /** The numbers of past days to backfill, for candles, minute prices, perpetuals and won prices. */
  readonly candleDays?: number
  readonly priceDays?: number
  readonly derivativeDays?: number
  /** Enables stock prices from Yahoo, after the operator has confirmed that the data is only for personal use. */
  readonly yahoo?: "personal"
  /** The stocks to collect, from which market breadth and sectors are computed. */
  readonly stocks?: StockList
  readonly krwDays?: number
  readonly retention?: Partial<Retention>
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
  readonly collect?: CollectOptions
}

/**
 * The retry policy of sources that are requested while a caller waits. With this policy, a request fails before the
 * tool's timeout of 10 s.
 */
export const liveRetryPolicy: Partial<RetryPolicy> = {
  timeoutMs: 5_000,
  maxTries: 2,
  callTimeoutMs: 8_000,
  maxOpenMs: 60_000
}

/** The retry policy for calls that may request two sources in sequence while a caller waits. */
export const briefRetryPolicy: Partial<RetryPolicy> = {
  ...liveRetryPolicy,
  timeoutMs: 3_000,
  maxTries: 1,
  callTimeoutMs: 4_000
}
