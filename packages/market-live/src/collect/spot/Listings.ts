import type { SourceUnavailable } from "@tapeline/core/market"
import { Effect, Result } from "effect"
import { isLasting } from "../../source/lasting.ts"
import type { SpotMarket } from "../../sources/spotMarket.ts"
import { type ListedCoins, mayBeUnread } from "../listed.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import type { VenueOrder } from "../VenueOrder.ts"
import type { SpotVenue } from "./SpotVenue.ts"

/** A coin that trades on some venue, with the time of its listing there. */
export interface ListedCoin extends TrackedCoin {
  readonly listedAt: number
  readonly venue: string
}

/** The venues' latest lists of the tracked coins. */
export class Listings {
  readonly #order: VenueOrder<SpotVenue>
  readonly #coins: ReadonlyArray<TrackedCoin>
  readonly #markets = new Map<SpotVenue, ListedCoins<SpotMarket>>()
  readonly #began = new Map<string, number>()
  #unlisted: ReadonlyArray<string> = []

  constructor(order: VenueOrder<SpotVenue>, coins: ReadonlyArray<TrackedCoin>) {
    this.#order = order
    this.#coins = coins
  }

  /**
   * Tracked coins that no venue lists, neither as trading nor as delisted. It is updated when all venues that serve
   * this location have responded.
   */
  get unlisted(): ReadonlyArray<string> {
    return this.#unlisted
  }

  /** The coin's market on a venue. An unknown market is assumed to exist. Null if the coin does not trade there. */
  marketOf(venue: SpotVenue, coin: string): { readonly coin: string; readonly symbol: string } | null {
    const known = this.#markets.get(venue)
    const market = known?.all.get(coin)
    if (market !== undefined) return market.trades ? market : null
    return known === undefined || mayBeUnread(known, coin) ? { coin, symbol: venue.symbolOf(coin) } : null
  }

  /** The tracked coins that trade on a venue, by its list. */
  marketsOf(venue: SpotVenue) {
    const known = this.#markets.get(venue)
    return this.#coins.flatMap(({ coin }) =>
      known === undefined || known.all.has(coin) ? this.marketOf(venue, coin) ?? [] : []
    )
  }

  /**
   * The coins that trade, with the time of their listing. It is requested once, from the first venue that provides it.
   */
  get listed(): Effect.Effect<ReadonlyArray<ListedCoin>, SourceUnavailable> {
    return Effect.gen({ self: this }, function*() {
      const fault = yield* this.#look()
      const found: Array<ListedCoin> = []
      let missing = fault
      for (const coin of this.#coins) {
        const asked = yield* Effect.result(
          this.#order.ask(`began:${coin.coin}`, (venue) => this.#beganOn(venue, coin.coin))
        )
        if (Result.isFailure(asked)) missing ??= asked.failure
        else if (asked.success !== null) {
          found.push({ ...coin, listedAt: asked.success.value, venue: asked.success.venue.name })
        }
      }
      // The fault of one coin does not affect others.
      return found.length === 0 && missing !== undefined ? yield* missing : found
    })
  }

  /** Requests lists until each coin is found on one. Returns the error of the first list that failed. */
  #look(): Effect.Effect<SourceUnavailable | undefined> {
    return Effect.gen({ self: this }, function*() {
      const open = new Set(this.#coins.map(({ coin }) => coin))
      let fault: SourceUnavailable | undefined
      const [told, awaited] = [new Set<SpotVenue>(), new Set<SpotVenue>()]
      for (const venue of this.#order.venues) {
        if (open.size === 0) break
        const asked = yield* Effect.result(venue.markets)
        if (Result.isFailure(asked)) {
          fault ??= asked.failure
          if (!isLasting(asked.failure)) awaited.add(venue)
          continue
        }
        told.add(venue)
        const { rows, unread } = asked.success
        this.#markets.set(venue, { unread, all: new Map(rows.map((market) => [market.coin, market])) })
        for (const { coin, trades } of rows) if (trades) open.delete(coin)
      }
      const mayList = (coin: string) =>
        this.#markets.values().some((known) => known.all.has(coin) || mayBeUnread(known, coin))
      if (told.size > 0 && awaited.size === 0) this.#unlisted = [...open].filter((coin) => !mayList(coin))
      return fault
    })
  }

  #beganOn(venue: SpotVenue, coin: string): Effect.Effect<number | null, SourceUnavailable> {
    const market = this.marketOf(venue, coin)
    if (market === null) return Effect.succeed(null)
    const key = `${venue.name}:${coin}`
    const known = this.#began.get(key)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.tap(venue.began(market.symbol), (time) =>
      Effect.sync(() => {
        if (time !== null) this.#began.set(key, time)
      }))
  }
}
