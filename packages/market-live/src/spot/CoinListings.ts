import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect, Result } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import { type MarketsByCoin, mayBeUnreadable } from "../collect/marketLists.ts"
import type { VenueFailover } from "../collect/VenueFailover.ts"
import { isLasting } from "../source/failover.ts"
import type { SpotMarket } from "../venues/contracts.ts"
import type { SpotVenue } from "./SpotVenue.ts"

/** A coin that trades on a venue, with the time at which the venue listed the coin. */
export interface ListedCoin extends TrackedCoin {
  readonly listedAt: number
  readonly venue: string
}

/** The latest market lists of the venues, for the tracked coins. */
export class CoinListings {
  readonly #failover: VenueFailover<SpotVenue>
  readonly #coins: ReadonlyArray<TrackedCoin>
  readonly #markets = new Map<SpotVenue, MarketsByCoin<SpotMarket>>()
  readonly #listingTimes = new Map<string, number>()
  #unlisted: ReadonlyArray<string> = []

  constructor(failover: VenueFailover<SpotVenue>, coins: ReadonlyArray<TrackedCoin>) {
    this.#failover = failover
    this.#coins = coins
  }

  /** The tracked coins that no venue lists, after all venues that serve the server's location have responded. */
  get unlisted(): ReadonlyArray<string> {
    return this.#unlisted
  }

  /**
   * Returns the coin's market on a venue, or null if the coin does not trade there. If the venue's market list is
   * unknown, the market is assumed to exist.
   */
  marketOf(venue: SpotVenue, coin: string): { readonly coin: string; readonly symbol: string } | null {
    const known = this.#markets.get(venue)
    const market = known?.all.get(coin)
    if (market !== undefined) return market.isTrading ? market : null
    return known === undefined || mayBeUnreadable(known, coin) ? { coin, symbol: venue.symbolOf(coin) } : null
  }

  marketsOf(venue: SpotVenue) {
    const known = this.#markets.get(venue)
    return this.#coins.flatMap(({ coin }) =>
      known === undefined || known.all.has(coin) ? this.marketOf(venue, coin) ?? [] : []
    )
  }

  /** Fetches the coins that trade, with their listing times. The listing time of each coin is requested only once. */
  get listed(): Effect.Effect<ReadonlyArray<ListedCoin>, SourceUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const fault = yield* this.#refreshMarkets()
      const found: Array<ListedCoin> = []
      let missing = fault
      for (const coin of this.#coins) {
        const result = yield* Effect.result(
          this.#failover.request(`began:${coin.coin}`, (venue) => this.#fetchListingTime(venue, coin.coin))
        )
        if (Result.isFailure(result)) missing ??= result.failure
        else if (result.success !== null) {
          found.push({ ...coin, listedAt: result.success.value, venue: result.success.venue.name })
        }
      }
      // A failed request for one coin does not affect other coins.
      return found.length === 0 && missing !== undefined ? yield* missing : found
    })
  }

  /**
   * Requests the venues' market lists until each coin is found in a list. Returns the error of the first market list
   * that failed, or undefined.
   */
  #refreshMarkets(): Effect.Effect<SourceUnavailable | undefined> {
    return Effect.gen({ self: this }, function*() {
      const unlistedCoins = new Set(this.#coins.map(({ coin }) => coin))
      let fault: SourceUnavailable | undefined
      const [responded, pending] = [new Set<SpotVenue>(), new Set<SpotVenue>()]
      for (const venue of this.#failover.venues) {
        if (unlistedCoins.size === 0) break
        const result = yield* Effect.result(venue.markets)
        if (Result.isFailure(result)) {
          fault ??= result.failure
          if (!isLasting(result.failure)) pending.add(venue)
          continue
        }
        responded.add(venue)
        const { rows, unreadable } = result.success
        this.#markets.set(venue, { unreadable, all: new Map(rows.map((market) => [market.coin, market])) })
        for (const { coin, isTrading } of rows) if (isTrading) unlistedCoins.delete(coin)
      }
      const mayList = (coin: string) =>
        this.#markets.values().some((known) => known.all.has(coin) || mayBeUnreadable(known, coin))
      if (responded.size > 0 && pending.size === 0) this.#unlisted = [...unlistedCoins].filter((coin) => !mayList(coin))
      return fault
    })
  }

  #fetchListingTime(venue: SpotVenue, coin: string): Effect.Effect<number | null, SourceUnavailable> {
    const market = this.marketOf(venue, coin)
    if (market === null) return Effect.succeed(null)
    const key = `${venue.name}:${coin}`
    const known = this.#listingTimes.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.tap(venue.fetchOpeningTime(market.symbol), (time) =>
      Effect.sync(() => {
        if (time !== null) this.#listingTimes.set(key, time)
      }))
  }
}
