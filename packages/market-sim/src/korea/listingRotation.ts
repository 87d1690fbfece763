/** New listings on Korean exchanges: one coin per day in rotation, alternately on the two exchanges. */
import { dayMs, hourMs, type KrwExchange } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"

export const krwExchanges: ReadonlyArray<KrwExchange> = ["upbit", "bithumb"]

/** The time between two listings, which happen every day at 15:00 in Seoul. */
const listingIntervalMs = dayMs
const firstListingMs = 6 * hourMs
/** The time between the close of a coin's market and the coin's next listing on any exchange. */
const relistingPauseMs = dayMs

/** A KRW market of a coin, from its opening to its close. */
export interface KrwListingPeriod {
  readonly coin: CoinMarket
  readonly exchange: KrwExchange
  readonly listedAt: number
  readonly delistedAt: number
}

const getListingTime = (turnIndex: number): number => firstListingMs + turnIndex * listingIntervalMs
const getExchange = (turnIndex: number): KrwExchange => krwExchanges[turnIndex % krwExchanges.length]!

export class Rotation {
  /** The coins in the order of their first listings. Later listings repeat the order of `#repeatingOrder`. */
  readonly #initialListings: ReadonlyArray<CoinMarket>
  readonly #repeatingOrder: ReadonlyArray<CoinMarket>
  readonly #firstTurn: number

  constructor(coins: ReadonlyArray<CoinMarket>) {
    const coinsToJoin = [...coins].sort((a, b) => a.listedAt - b.listedAt)
    const queue: Array<CoinMarket> = []
    const initialListings: Array<CoinMarket> = []
    this.#firstTurn = Math.ceil(
      (Math.min(...coins.map(({ listedAt }) => listedAt)) - firstListingMs) / listingIntervalMs
    )
    for (let turnIndex = this.#firstTurn; coinsToJoin.length > 0; turnIndex++) {
      while (coinsToJoin.length > 0 && coinsToJoin[0]!.listedAt <= getListingTime(turnIndex)) {
        queue.push(coinsToJoin.shift()!)
      }
      const coin = queue.shift()!
      initialListings.push(coin)
      queue.push(coin)
    }
    this.#initialListings = initialListings
    this.#repeatingOrder = queue
  }

  #getCoin(turnIndex: number): CoinMarket | undefined {
    const turnsSinceFirst = turnIndex - this.#firstTurn
    if (turnsSinceFirst < 0) return undefined
    return this.#initialListings[turnsSinceFirst] ??
      this.#repeatingOrder[(turnsSinceFirst - this.#initialListings.length) % this.#repeatingOrder.length]
  }

  #getPeriod(turnIndex: number): KrwListingPeriod | undefined {
    const coin = this.#getCoin(turnIndex)
    if (coin === undefined) return undefined
    let next = turnIndex + 1
    while (this.#getCoin(next) !== coin) next++
    return {
      coin,
      exchange: getExchange(turnIndex),
      listedAt: getListingTime(turnIndex),
      delistedAt: getListingTime(next) - relistingPauseMs
    }
  }

  /** Returns the markets that opened with `from <= listedAt < to`, oldest first. */
  getOpened(from: number, to: number): ReadonlyArray<KrwListingPeriod> {
    const periods: Array<KrwListingPeriod> = []
    for (
      let turnIndex = Math.ceil((from - firstListingMs) / listingIntervalMs);
      getListingTime(turnIndex) < to;
      turnIndex++
    ) {
      const market = this.#getPeriod(turnIndex)
      if (market !== undefined) periods.push(market)
    }
    return periods
  }

  /** Returns the markets that closed with `from <= delistedAt < to`, ordered by closing time. */
  getClosed(from: number, to: number): ReadonlyArray<KrwListingPeriod> {
    return this.getOpened(from - this.#repeatingOrder.length * listingIntervalMs, to)
      .filter(({ delistedAt }) => delistedAt >= from && delistedAt < to)
      .sort((a, b) => a.delistedAt - b.delistedAt)
  }

  /** Returns the market of a coin that opened last before `time`, or undefined if none had opened. */
  findLatest(coin: CoinMarket, time: number): KrwListingPeriod | undefined {
    const newest = Math.floor((time - firstListingMs) / listingIntervalMs)
    for (let turnIndex = newest; turnIndex > newest - this.#repeatingOrder.length; turnIndex--) {
      if (this.#getCoin(turnIndex) === coin) return this.#getPeriod(turnIndex)
    }
    return undefined
  }

  /** Returns the market of a coin on an exchange that is open at `time`, or undefined without an open market. */
  findOpen(coin: CoinMarket, exchange: KrwExchange, time: number): KrwListingPeriod | undefined {
    const market = this.findLatest(coin, time)
    return market?.exchange === exchange && time < market.delistedAt ? market : undefined
  }
}
