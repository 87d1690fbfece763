import type { TrackedCoin } from "../collect/index.ts"
import type { CollectOptions } from "../collect/layerCollectors.ts"
import type { Patience, SocketPatience } from "../source/index.ts"
import type { NewsFeedSource } from "../sources/feeds/feedList.ts"
import type { StockList } from "../sources/yahoo/knownStocks.ts"
import type { Retention } from "./retention.ts"

/** Where sources are; the public address of each where none is said. The server has a variable for each. */
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
  /** Its pages, which hand out what its data are shown for. */
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

/** What some sources want before they answer; each one's part is absent without it. */
export interface SourceKeys {
  /** A name and an address for letters. */
  readonly edgarContact?: string
  readonly ecos?: string
  readonly openDart?: string
}

/** What an operator may say of the live market. */
export interface LiveSettings {
  readonly urls?: SourceUrls
  readonly keys?: SourceKeys
  /** What is collected of coins; `trackedCoins` where none are said. */
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** Publishers' feeds that are read; `defaultNewsFeeds` where none are said. */
  readonly newsFeeds?: ReadonlyArray<NewsFeedSource>
  /** How far back is recorded from the beginning on: candles, prices by the minute, perpetuals, and prices in won. */
  readonly candleDays?: number
  readonly priceDays?: number
  readonly derivativeDays?: number
  /** Prices of stocks are asked for, and collected, where an operator says that it is for nobody else. */
  readonly yahoo?: "personal"
  /** Stocks that are collected, and that breadth and sectors are counted over; `defaultStocks` where none are said. */
  readonly stocks?: StockList
  readonly krwDays?: number
  /** Laid over `defaultRetention`. */
  readonly retention?: Partial<Retention>
  /** Laid over `livePatience`. */
  readonly patience?: Partial<Patience>
  readonly socketPatience?: Partial<SocketPatience>
  readonly collect?: CollectOptions
}

/**
 * Tools ask some sources while their callers wait: a source that is silent is given up before a tool's own time is over
 * (10 s), and one that was away for long is asked again within a minute.
 */
export const livePatience: Partial<Patience> = {
  timeoutMs: 5_000,
  tries: 2,
  patienceMs: 8_000,
  longestOpenMs: 60_000
}

/** Of two sources that are asked one after the other while a caller waits, each has less. */
export const briefPatience: Partial<Patience> = { ...livePatience, timeoutMs: 3_000, tries: 1, patienceMs: 4_000 }
