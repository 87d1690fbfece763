import { Clock, Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { readValue } from "../../market/readValue.ts"
import type { SocialFeed } from "../../market/SocialFeed.ts"
import type { DayCaches } from "./dayCache/SeriesCache.ts"
import type { makeHourlyRegimes } from "./hourlyRegimes.ts"
import type { makeHourlyScores } from "./hourlyScores.ts"
import type { makeYieldingRunner } from "./scheduling.ts"

/** The data sources and hourly values from which all derived values are computed. */
export interface Derivation {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
  readonly social: SocialFeed["Service"]
  readonly dayCaches: DayCaches
  readonly runAfterYield: ReturnType<typeof makeYieldingRunner>
  readonly readScores: ReturnType<typeof makeHourlyScores>
  readonly readRegimes: ReturnType<typeof makeHourlyRegimes>
}

/** The maximum number of coins that are read concurrently. */
export const coinConcurrency = 8

/** Returns the last full multiple of `lengthMs`, for example the last full hour. */
export const getLastFull = (lengthMs: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / lengthMs) * lengthMs)

/** Returns every coin that has scores, including coins that were delisted after `since`. */
export const listCoinsSince = (prices: CoinPrices["Service"], since: number) =>
  Effect.map(
    readValue(prices.coins),
    (coins) =>
      coins.filter(({ delistedAt, isStablecoin }) => !isStablecoin && (delistedAt === null || delistedAt > since))
  )

/** Returns a coin that has or had scores. Fails with `NoData` for a stablecoin. */
export const requireScored = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string): Effect.fn.Return<Coin, MarketError> {
    const facts = yield* readValue(prices.coin(coin))
    if (facts.isStablecoin) {
      return yield* new NoData({
        subject: `${coin} scores and signals`,
        reason: { key: "none_of_stablecoin", params: { coin } }
      })
    }
    return facts
  }
)

export const formatCoins = (coins: ReadonlyArray<string>): string =>
  coins.length > 6 ? `${coins.slice(0, 5).join(", ")}, ... (${coins.length})` : coins.join(", ")

/** Creates the error for hours that were not recorded. */
export const makeUnrecordedError = (coin: string, subject: string) =>
  new NoData({ subject: `${coin} ${subject}`, reason: { key: "none_hours_recorded", params: { coin } } })

/** Returns a coin that has scores and still trades. Fails with `NoData` for a stablecoin or a delisted coin. */
export const requireTrading = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string): Effect.fn.Return<Coin, MarketError> {
    const facts = yield* requireScored(prices, coin)
    if (facts.delistedAt !== null && facts.delistedAt <= (yield* Clock.currentTimeMillis)) {
      const since = new Date(facts.delistedAt).toISOString().slice(0, 10)
      return yield* new NoData({
        subject: `${coin} now`,
        reason: { key: "none_after_delisting", params: { coin, since } }
      })
    }
    return facts
  }
)
