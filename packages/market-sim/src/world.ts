/**
 * The simulated world of a seed: a pure function of instrument and time, without a clock. Every part returns values for
 * any time, past or future. The adapters, not the world, hide the future.
 */
import { CoinMarket } from "./coin/CoinMarket.ts"
import { type CoinSpec, coinSpecs } from "./coin/coins.ts"
import { makeCoinSeries } from "./coin/coinSeries.ts"
import { Derivatives } from "./coin/Derivatives.ts"
import { Liquidations } from "./coin/Liquidations.ts"
import { Equities } from "./equity/Equities.ts"
import { type Key, makeStreamKey } from "./kernel/random.ts"
import { ForeignExchange } from "./korea/exchangeRate.ts"
import { Korea } from "./korea/markets.ts"
import { makeSeriesCache } from "./path/Series.ts"

export interface World {
  readonly seed: number | string
  /** All coins, including those that are not listed yet. */
  readonly coins: ReadonlyArray<CoinSpec>
  /** The market of a coin. Undefined if the coin does not exist. */
  readonly coin: (coin: string) => CoinMarket | undefined
  /** The markets of all coins, in the order of `coins`. */
  readonly markets: ReadonlyArray<CoinMarket>
  readonly liquidations: Liquidations
  readonly derivatives: Derivatives
  readonly exchangeRate: ForeignExchange
  readonly korea: Korea
  readonly equities: Equities
  /** Returns the key of a named stream of random numbers of this world. */
  readonly getKey: (name: string) => Key
}

/**
 * The version of the simulation. Increase it if a change alters the candles, perpetuals or posts of a seed. Data
 * derived from the old values may be stored under the old version.
 */
export const worldVersion = 5

/** The default number of divided intervals in memory. Each takes at most about 6 kB. */
const defaultCacheSize = 32_768

/** The number of divided intervals in the cache for each cached day of liquidations, which takes about 5 kB. */
const seriesBarsPerLiquidationDay = 64

/** Ids of series in the caches: coins from 0, then the exchange rate, then stocks. */
const exchangeRateId = 100
const firstEquityId = 128

/** The default seed, whose prices in 2026 and 2027 are close to those that a reader expects. */
export const defaultSeed = 338

/**
 * Returns the world of a seed. The cache size affects only the speed, never the values. A world with fewer coins has
 * the same prices for each of them. The first coin must be BTC.
 */
export const makeWorld = (
  seed: number | string,
  cacheSize: number = defaultCacheSize,
  coins: ReadonlyArray<CoinSpec> = coinSpecs
): World => {
  const cache = makeSeriesCache(cacheSize)
  const keys = new Map<string, Key>()
  // Names combine a kind of data and an instrument. The number of names is limited, so this map is bounded.
  const getKey = (name: string): Key => {
    const existing = keys.get(name)
    if (existing !== undefined) return existing
    const created = makeStreamKey(seed, name)
    keys.set(name, created)
    return created
  }
  const markets = coins.map((spec, id) => new CoinMarket(makeCoinSeries(seed, spec, id, cache)))
  const marketsByCoin = new Map(markets.map((market) => [market.spec.coin, market]))
  const liquidations = new Liquidations(getKey, cacheSize / seriesBarsPerLiquidationDay)
  const exchangeRate = new ForeignExchange(seed, exchangeRateId, cache, markets[0]!)
  return {
    seed,
    coins,
    coin: (coin) => marketsByCoin.get(coin),
    markets,
    liquidations,
    derivatives: new Derivatives(getKey, liquidations),
    exchangeRate,
    korea: new Korea(getKey, exchangeRate, markets),
    equities: new Equities(seed, firstEquityId, cache, getKey),
    getKey
  }
}
