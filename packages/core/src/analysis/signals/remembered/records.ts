import { Effect } from "effect"
import type { CoinDerivatives } from "../../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { MarketError } from "../../../market/errors.ts"
import { type Reading, sourcesOf } from "../../../market/reading.ts"
import type { Recorded } from "../../../market/recorded.ts"
import type { SocialFeed } from "../../../market/SocialFeed.ts"
import { dayMs } from "../../../market/timeframe.ts"
import { valueOf } from "../../../market/valueOf.ts"
import { lagMs } from "../lag.ts"
import { digestOf } from "./digest.ts"

/** How far a derived series may be remembered, and under which revision. */
export interface SeriesRecord {
  /** Values up to this instant stand on nothing that is still awaited, epoch ms. */
  readonly until: number
  readonly revision: string
  /** Of the raw series, by name. A value has those of its series: which were read for it depends on what was asked. */
  readonly sources: ReadonlyArray<string>
}

type Records = Reading<ReadonlyMap<string, Recorded>>

/** The sources of what has a record. */
const sourcesOfSome = (records: ReadonlyArray<Records>): ReadonlyArray<string> =>
  sourcesOf(records.filter(({ value }) => value.size > 0))

const nothing: Recorded = { contiguousUntil: -Infinity, revision: "" }

/**
 * What has no record has no data, and until it has some that is a revision too. What lies at an instant itself is below
 * the mark when that has passed it.
 */
const orNone = (recorded: Recorded | undefined): { readonly until: number; readonly revision: string | null } =>
  recorded === undefined
    ? { until: Infinity, revision: null }
    : { until: recorded.contiguousUntil - 1, revision: recorded.revision }

interface Ports {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
}

/** What the scores of some coins stand on, by coin. */
export const scoreRecords = (
  { derivatives, prices }: Ports,
  coins: ReadonlyArray<string>
): Effect.Effect<(coin: string) => SeriesRecord, MarketError> =>
  Effect.zipWith(
    prices.recorded(coins),
    derivatives.recorded(coins),
    (candles, perpetuals) => {
      const sources = sourcesOfSome([candles, perpetuals])
      return (coin) => {
        const { contiguousUntil, revision } = candles.value.get(coin) ?? nothing
        const perpetual = orNone(perpetuals.value.get(coin))
        return {
          until: Math.min(contiguousUntil, perpetual.until),
          revision: digestOf([revision, perpetual.revision]),
          sources
        }
      }
    }
  )

/** What the scores of one coin stand on. */
export const scoreRecord = (ports: Ports, coin: string): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(scoreRecords(ports, [coin]), (of) => of(coin))

/** What the market's regimes stand on. */
export const regimeRecord = ({ prices }: Pick<Ports, "prices">): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(prices.recorded(["BTC", "ETH"]), (candles) => {
    const btc = candles.value.get("BTC") ?? nothing
    const eth = candles.value.get("ETH")
    return {
      sources: sourcesOfSome([candles]),
      until: Math.min(btc.contiguousUntil, eth?.contiguousUntil ?? Infinity),
      revision: digestOf([btc.revision, eth?.revision ?? null])
    }
  })

/** What fear and greed stands on. */
export interface FearGreedRecord extends SeriesRecord {
  /**
   * Coins that lag far behind BTC, by name: 00:00 UTC up to which their days count. What comes after it is lost to the
   * index until it is recorded, which gives another revision: one coin must not hold up all that is remembered.
   */
  readonly countUntil: ReadonlyMap<string, number>
}

/** Every coin's candles, BTC's payments, and what is posted about it. */
export const fearGreedRecord = Effect.fnUntraced(function*(
  { derivatives, prices }: Ports,
  social: SocialFeed["Service"]
): Effect.fn.Return<FearGreedRecord, MarketError> {
  const coins = yield* valueOf(prices.coins)
  const candles = yield* prices.recorded(coins.map(({ coin }) => coin))
  const perpetuals = yield* derivatives.recorded(["BTC"])
  const feeds = yield* social.recorded(["BTC"])
  const perpetual = orNone(perpetuals.value.get("BTC"))
  const posts = orNone(feeds.value.get("BTC"))
  const market = (candles.value.get("BTC") ?? nothing).contiguousUntil
  const behind = [...candles.value].filter(([, { contiguousUntil }]) => contiguousUntil < market - lagMs)
  const countUntil = new Map(
    behind.map(([coin, { contiguousUntil }]) => [coin, Math.floor(contiguousUntil / dayMs) * dayMs])
  )
  const marks = [...candles.value].filter(([coin]) => !countUntil.has(coin)).map(([, one]) => one.contiguousUntil)
  // In the order of their names: sizes change it by the minute.
  const facts = coins
    .map(({ coin, delistedAt, isStablecoin }) => [
      coin,
      delistedAt,
      isStablecoin,
      candles.value.get(coin)?.revision ?? null,
      countUntil.get(coin) ?? null
    ])
    .sort(([a], [b]) => String(a) < String(b) ? -1 : 1)
  return {
    until: Math.min(perpetual.until, posts.until, market, ...marks),
    revision: digestOf([facts, perpetual.revision, posts.revision]),
    sources: sourcesOfSome([candles, perpetuals, feeds]),
    countUntil
  }
})
