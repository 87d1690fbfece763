import { Effect } from "effect"
import type { CoinDerivatives } from "../../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { MarketError } from "../../../market/errors.ts"
import { type Reading, sourcesOf } from "../../../market/reading.ts"
import { readValue } from "../../../market/readValue.ts"
import type { SocialFeed } from "../../../market/SocialFeed.ts"
import { dayMs } from "../../../market/timeframe.ts"
import type { Watermark } from "../../../market/watermark.ts"
import { maxLagMs } from "../readings.ts"
import { makeDigest } from "./digest.ts"

/** Describes the raw data of a derived series: the time up to which they are complete, and their revision. */
export interface SeriesRecord {
  /**
   * The watermark of the series, in epoch ms. No value up to the watermark depends on data that are not recorded yet.
   */
  readonly until: number
  readonly revision: string
  /** The names of all sources of the raw series, including sources that a query does not read. */
  readonly sources: ReadonlyArray<string>
}

type RecordedReading = Reading<ReadonlyMap<string, Watermark>>

const getSourcesWithData = (records: ReadonlyArray<RecordedReading>): ReadonlyArray<string> =>
  sourcesOf(records.filter(({ value }) => value.size > 0))

const notRecorded: Watermark = { contiguousUntil: -Infinity, revision: "" }

/**
 * Converts a watermark to an inclusive time and a revision. If the series has no record, the time is infinite and the
 * revision is null.
 */
const orNotRecorded = (recorded: Watermark | undefined): { readonly until: number; readonly revision: string | null } =>
  recorded === undefined
    ? { until: Infinity, revision: null }
    : { until: recorded.contiguousUntil - 1, revision: recorded.revision }

interface Ports {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
}

export const scoreRecords = (
  { derivatives, prices }: Ports,
  coins: ReadonlyArray<string>
): Effect.Effect<(coin: string) => SeriesRecord, MarketError> =>
  Effect.zipWith(
    prices.watermarks(coins),
    derivatives.watermarks(coins),
    (candles, perpetuals) => {
      const sources = getSourcesWithData([candles, perpetuals])
      return (coin) => {
        const { contiguousUntil, revision } = candles.value.get(coin) ?? notRecorded
        const perpetual = orNotRecorded(perpetuals.value.get(coin))
        return {
          until: Math.min(contiguousUntil, perpetual.until),
          revision: makeDigest([revision, perpetual.revision]),
          sources
        }
      }
    }
  )

export const scoreRecord = (ports: Ports, coin: string): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(scoreRecords(ports, [coin]), (getRecord) => getRecord(coin))

export const regimeRecord = ({ prices }: Pick<Ports, "prices">): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(prices.watermarks(["BTC", "ETH"]), (candles) => {
    const btc = candles.value.get("BTC") ?? notRecorded
    const eth = candles.value.get("ETH")
    return {
      sources: getSourcesWithData([candles]),
      until: Math.min(btc.contiguousUntil, eth?.contiguousUntil ?? Infinity),
      revision: makeDigest([btc.revision, eth?.revision ?? null])
    }
  })

export interface FearGreedRecord extends SeriesRecord {
  /**
   * The coins whose data lag far behind BTC's data. Each value is the end (00:00 UTC) of the coin's last counted day.
   * Lagging coins are listed separately, because one lagging coin must not delay the caching of all days. When a
   * lagging coin gets a new day, the revision changes.
   */
  readonly lastDayByLaggingCoin: ReadonlyMap<string, number>
}

/**
 * Returns the record of the raw data of the fear and greed index: all coins' candles, BTC's funding payments, and posts
 * about BTC.
 */
export const fearGreedRecord = Effect.fnUntraced(function*(
  { derivatives, prices }: Ports,
  social: SocialFeed["Service"]
): Effect.fn.Return<FearGreedRecord, MarketError> {
  const coins = yield* readValue(prices.coins)
  const candles = yield* prices.watermarks(coins.map(({ coin }) => coin))
  const perpetuals = yield* derivatives.watermarks(["BTC"])
  const feeds = yield* social.watermarks(["BTC"])
  const perpetual = orNotRecorded(perpetuals.value.get("BTC"))
  const posts = orNotRecorded(feeds.value.get("BTC"))
  const btcUntil = (candles.value.get("BTC") ?? notRecorded).contiguousUntil
  const laggingCoins = [...candles.value].filter(([, { contiguousUntil }]) => contiguousUntil < btcUntil - maxLagMs)
  const lastDayByLaggingCoin = new Map(
    laggingCoins.map(([coin, { contiguousUntil }]) => [coin, Math.floor(contiguousUntil / dayMs) * dayMs])
  )
  const watermarks = [...candles.value].filter(([coin]) => !lastDayByLaggingCoin.has(coin)).map(([, one]) =>
    one.contiguousUntil
  )
  // The coins are sorted by name, because their order by market capitalisation changes every minute.
  const coinStates = coins
    .map(({ coin, delistedAt, isStablecoin }) => [
      coin,
      delistedAt,
      isStablecoin,
      candles.value.get(coin)?.revision ?? null,
      lastDayByLaggingCoin.get(coin) ?? null
    ])
    .sort(([a], [b]) => String(a) < String(b) ? -1 : 1)
  return {
    until: Math.min(perpetual.until, posts.until, btcUntil, ...watermarks),
    revision: makeDigest([coinStates, perpetual.revision, posts.revision]),
    sources: getSourcesWithData([candles, perpetuals, feeds]),
    lastDayByLaggingCoin
  }
})
