import { Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Recorded } from "../../market/recorded.ts"
import type { SocialFeed } from "../../market/SocialFeed.ts"
import { valueOf } from "../../market/valueOf.ts"
import { digestOf } from "./digest.ts"

/** How far a derived series may be remembered, and under which revision. */
export interface SeriesRecord {
  /** Values up to this instant stand on nothing that is still awaited, epoch ms. */
  readonly until: number
  readonly revision: string
}

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
    valueOf(prices.recorded(coins)),
    valueOf(derivatives.recorded(coins)),
    (candles, perpetuals) => (coin) => {
      const { contiguousUntil, revision } = candles.get(coin) ?? nothing
      const perpetual = orNone(perpetuals.get(coin))
      return { until: Math.min(contiguousUntil, perpetual.until), revision: digestOf([revision, perpetual.revision]) }
    }
  )

/** What the scores of one coin stand on. */
export const scoreRecord = (ports: Ports, coin: string): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(scoreRecords(ports, [coin]), (of) => of(coin))

/** What the market's regimes stand on. */
export const regimeRecord = ({ prices }: Pick<Ports, "prices">): Effect.Effect<SeriesRecord, MarketError> =>
  Effect.map(valueOf(prices.recorded(["BTC", "ETH"])), (candles) => {
    const btc = candles.get("BTC") ?? nothing
    const eth = candles.get("ETH")
    return {
      until: Math.min(btc.contiguousUntil, eth?.contiguousUntil ?? Infinity),
      revision: digestOf([btc.revision, eth?.revision ?? null])
    }
  })

/** What fear and greed stands on: every coin's candles, BTC's payments, and what is posted about it. */
export const fearGreedRecord = Effect.fnUntraced(function*(
  { derivatives, prices }: Ports,
  social: SocialFeed["Service"]
): Effect.fn.Return<SeriesRecord, MarketError> {
  const coins = yield* valueOf(prices.coins)
  const names = coins.map(({ coin }) => coin)
  const candles = yield* valueOf(prices.recorded(names))
  const perpetual = orNone((yield* valueOf(derivatives.recorded(["BTC"]))).get("BTC"))
  const posts = orNone((yield* valueOf(social.recorded(["BTC"]))).get("BTC"))
  // In the order of their names: sizes change it by the minute.
  const facts = coins
    .map(({ coin, delistedAt, isStablecoin }) => [coin, delistedAt, isStablecoin, candles.get(coin)?.revision ?? null])
    .sort(([a], [b]) => String(a) < String(b) ? -1 : 1)
  return {
    until: Math.min(
      perpetual.until,
      posts.until,
      ...["BTC", ...candles.keys()].map((coin) => (candles.get(coin) ?? nothing).contiguousUntil)
    ),
    revision: digestOf([facts, perpetual.revision, posts.revision])
  }
})
