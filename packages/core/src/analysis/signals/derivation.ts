import { Clock, Effect } from "effect"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { type MarketError, NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import type { SocialFeed } from "../../market/SocialFeed.ts"
import { valueOf } from "../../market/valueOf.ts"
import type { makeHourlyRegimes } from "./hourlyRegimes.ts"
import type { makeHourlyScores } from "./hourlyScores.ts"
import type { makeOneByOne } from "./oneByOne.ts"
import type { Remembering } from "./remembered/Shelf.ts"

/** What the derivations share: the raw series, and the hours that are computed from them. */
export interface Derivation {
  readonly prices: CoinPrices["Service"]
  readonly derivatives: CoinDerivatives["Service"]
  readonly social: SocialFeed["Service"]
  readonly remembering: Remembering
  readonly oneByOne: ReturnType<typeof makeOneByOne>
  readonly scored: ReturnType<typeof makeHourlyScores>
  readonly regimes: ReturnType<typeof makeHourlyRegimes>
}

/** Coins read at the same time: storage may wait, computing does not. */
export const concurrency = 8

/** The last full hour, and the last full multiple of another length. */
export const lastFull = (lengthMs: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / lengthMs) * lengthMs)

/** Every coin that is scored, those included that died after `since`: who looks back must not forget them. */
export const coinsSince = (prices: CoinPrices["Service"], since: number) =>
  Effect.map(
    valueOf(prices.coins),
    (coins) =>
      coins.filter(({ delistedAt, isStablecoin }) => !isStablecoin && (delistedAt === null || delistedAt > since))
  )

/** One coin that has scores, now or in the past. */
export const requireScored = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string): Effect.fn.Return<Coin, MarketError> {
    const facts = yield* valueOf(prices.coin(coin))
    if (facts.isStablecoin) {
      return yield* new NoData({
        subject: `${coin} scores and signals`,
        reason: { key: "none_of_stablecoin", params: { coin } }
      })
    }
    return facts
  }
)

/** Coins by name, the first few of many. */
export const someOf = (coins: ReadonlyArray<string>): string =>
  coins.length > 6 ? `${coins.slice(0, 5).join(", ")}, ... (${coins.length})` : coins.join(", ")

/** Why nothing follows from an outage, which is not youth. */
export const unrecorded = (coin: string, what: string) =>
  new NoData({ subject: `${coin} ${what}`, reason: { key: "none_hours_recorded", params: { coin } } })

/** The same of one that trades. */
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
