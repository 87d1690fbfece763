/**
 * The simulated world of a seed: a pure function of instrument and time, seen without a clock.
 */
import { BoundedCache } from "./cache.ts"
import { CoinMarket } from "./coin-market.ts"
import { makeCoinSeries } from "./coin-series.ts"
import { type CoinSpec, coinSpecs } from "./coins.ts"
import { type Key, streamKey } from "./random.ts"
import type { SeriesCache } from "./series.ts"

export interface World {
  readonly seed: number | string
  /** Every coin, whatever its listing date. */
  readonly coins: ReadonlyArray<CoinSpec>
  /** A coin's market; undefined when there is no such coin. */
  readonly coin: (coin: string) => CoinMarket | undefined
  /** The key of a named stream of random numbers of this world. */
  readonly key: (name: string) => Key
}

/** Divided intervals kept in memory, about 1.5 kB each. */
const cacheSize = 32_768

export const makeWorld = (seed: number | string): World => {
  const cache: SeriesCache = new BoundedCache(cacheSize)
  const markets = new Map<string, CoinMarket>()
  return {
    seed,
    coins: coinSpecs,
    coin: (coin) => {
      const known = markets.get(coin)
      if (known !== undefined) return known
      const index = coinSpecs.findIndex((spec) => spec.coin === coin)
      if (index < 0) return undefined
      const market = new CoinMarket(makeCoinSeries(seed, coinSpecs[index]!, index, cache))
      markets.set(coin, market)
      return market
    },
    key: (name) => streamKey(seed, name)
  }
}
