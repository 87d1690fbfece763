/** The simulated world of a seed, whose values are pure functions of an instrument and a time, past or future. */
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
  /** All coins, including coins that are not listed yet. */
  readonly coins: ReadonlyArray<CoinSpec>
  readonly coin: (coin: string) => CoinMarket | undefined
  readonly markets: ReadonlyArray<CoinMarket>
  readonly liquidations: Liquidations
  readonly derivatives: Derivatives
  readonly exchangeRate: ForeignExchange
  readonly korea: Korea
  readonly equities: Equities
  readonly getKey: (name: string) => Key
}

/**
 * The version of the simulation. Increase the version whenever the same seed gives different candles, perpetuals or
 * posts.
 */
export const worldVersion = 5

/** The default number of divided intervals that the caches keep. Each divided interval takes at most about 6 kB. */
const defaultCacheSize = 32_768

/**
 * The number of cached divided intervals for each cached day of liquidations. A cached day of liquidations takes about
 * 5 kB.
 */
const seriesBarsPerLiquidationDay = 64

/**
 * The series id of the exchange rate. Series ids of coins begin at 0, and series ids of stocks begin at
 * `firstEquityId`.
 */
const exchangeRateId = 100
const firstEquityId = 128

/** The default seed, chosen for plausible prices in 2026 and 2027. */
export const defaultSeed = 338

/** Creates the world of a seed. The first coin must be BTC. The cache size affects the speed but no values. */
export const makeWorld = (
  seed: number | string,
  cacheSize: number = defaultCacheSize,
  coins: ReadonlyArray<CoinSpec> = coinSpecs
): World => {
  const cache = makeSeriesCache(cacheSize)
  const keys = new Map<string, Key>()
  // A stream name combines a kind of data and an instrument, so the number of names is limited.
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
