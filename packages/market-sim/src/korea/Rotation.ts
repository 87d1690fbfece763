/**
 * New listings. Coins without a permanent KRW market are listed in rotation, one a day, alternately on the exchanges.
 */
import { dayMs, hourMs, type KrwExchange } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"

export const krwExchanges: ReadonlyArray<KrwExchange> = ["upbit", "bithumb"]

/**
 * The time between two listings. A market opens every day at 15:00 in Seoul, so two markets are always younger than two
 * days.
 */
const turnMs = dayMs
const firstTurnMs = 6 * hourMs
/** The time between the close of a coin's market and its next listing on any exchange. */
const pauseMs = dayMs

/** A KRW market, from its opening to its close. */
export interface Turn {
  readonly coin: CoinMarket
  readonly exchange: KrwExchange
  readonly listedAt: number
  readonly delistedAt: number
}

const timeOf = (turn: number): number => firstTurnMs + turn * turnMs
const exchangeOf = (turn: number): KrwExchange => krwExchanges[turn % krwExchanges.length]!

export class Rotation {
  /** The coins in the order of their listings, until the last coin had joined. After that, `#round` repeats. */
  readonly #joining: ReadonlyArray<CoinMarket>
  readonly #round: ReadonlyArray<CoinMarket>
  readonly #first: number

  constructor(coins: ReadonlyArray<CoinMarket>) {
    const waiting = [...coins].sort((a, b) => a.listedAt - b.listedAt)
    const queue: Array<CoinMarket> = []
    const joining: Array<CoinMarket> = []
    this.#first = Math.ceil((Math.min(...coins.map(({ listedAt }) => listedAt)) - firstTurnMs) / turnMs)
    for (let turn = this.#first; waiting.length > 0; turn++) {
      while (waiting.length > 0 && waiting[0]!.listedAt <= timeOf(turn)) queue.push(waiting.shift()!)
      const coin = queue.shift()!
      joining.push(coin)
      queue.push(coin)
    }
    this.#joining = joining
    this.#round = queue
  }

  #coinOf(turn: number): CoinMarket | undefined {
    const since = turn - this.#first
    if (since < 0) return undefined
    return this.#joining[since] ?? this.#round[(since - this.#joining.length) % this.#round.length]
  }

  #turn(turn: number): Turn | undefined {
    const coin = this.#coinOf(turn)
    if (coin === undefined) return undefined
    let next = turn + 1
    while (this.#coinOf(next) !== coin) next++
    return {
      coin,
      exchange: exchangeOf(turn),
      listedAt: timeOf(turn),
      delistedAt: timeOf(next) - pauseMs
    }
  }

  /** The markets that opened with `from <= listedAt < to`, oldest first. */
  opened(from: number, to: number): ReadonlyArray<Turn> {
    const found: Array<Turn> = []
    for (let turn = Math.ceil((from - firstTurnMs) / turnMs); timeOf(turn) < to; turn++) {
      const market = this.#turn(turn)
      if (market !== undefined) found.push(market)
    }
    return found
  }

  /** The markets that closed with `from <= delistedAt < to`, by the time of their close. */
  closed(from: number, to: number): ReadonlyArray<Turn> {
    return this.opened(from - this.#round.length * turnMs, to)
      .filter(({ delistedAt }) => delistedAt >= from && delistedAt < to)
      .sort((a, b) => a.delistedAt - b.delistedAt)
  }

  /** The market of a coin on an exchange that is open at `time`. */
  openAt(coin: CoinMarket, exchange: KrwExchange, time: number): Turn | undefined {
    const newest = Math.floor((time - firstTurnMs) / turnMs)
    for (let turn = newest; turn > newest - this.#round.length; turn--) {
      if (this.#coinOf(turn) !== coin) continue
      const market = this.#turn(turn)!
      return market.exchange === exchange && time < market.delistedAt ? market : undefined
    }
    return undefined
  }
}
