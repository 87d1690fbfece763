/**
 * The simulated world of a seed: a pure function of instrument and time, seen without a clock. Every part
 * may be asked for any instant; what has not happened yet is kept back by the adapters, not here.
 */
import { CoinMarket } from "./coin/CoinMarket.ts"
import { type CoinSpec, coinSpecs } from "./coin/coins.ts"
import { makeCoinSeries } from "./coin/coinSeries.ts"
import { Derivatives } from "./coin/Derivatives.ts"
import { Liquidations } from "./coin/Liquidations.ts"
import { Equities } from "./equity/Equities.ts"
import { type Key, streamKey } from "./kernel/random.ts"
import { ForeignExchange } from "./korea/fx.ts"
import { Korea } from "./korea/markets.ts"
import { makeSeriesCache } from "./path/Series.ts"

export interface World {
  readonly seed: number | string
  /** Every coin, whatever its listing date. */
  readonly coins: ReadonlyArray<CoinSpec>
  /** A coin's market; undefined when there is no such coin. */
  readonly coin: (coin: string) => CoinMarket | undefined
  /** Every coin's market, in the order of `coins`. */
  readonly markets: ReadonlyArray<CoinMarket>
  readonly liquidations: Liquidations
  readonly derivatives: Derivatives
  readonly fx: ForeignExchange
  readonly korea: Korea
  readonly equities: Equities
  /** The key of a named stream of random numbers of this world. */
  readonly key: (name: string) => Key
}

/**
 * Names the numbers of every world: another one wherever a seed's candles, perpetuals or posts come out otherwise than
 * before, since what was derived from the old ones may be stored under it.
 */
export const worldVersion = 5

/** Divided intervals kept in memory unless said otherwise, about 6 kB each at most. */
const defaultCacheSize = 32_768

/** Divided intervals in the cache per cached day of liquidations, which takes about 5 kB. */
const seriesBarsPerLiquidationDay = 64

/** Numbers of series within the caches: coins from 0, the exchange rate, then stocks. */
const fxId = 100
const firstEquityId = 128

/** A world whose prices of 2026 and 2027 stay near those that a reader of these years expects. */
export const defaultSeed = 338

/**
 * Returns the world of a seed. The cache size changes how long an answer takes, never the answer.
 * A world of fewer coins has the same prices for each of them; BTC comes first.
 */
export const makeWorld = (
  seed: number | string,
  cacheSize: number = defaultCacheSize,
  coins: ReadonlyArray<CoinSpec> = coinSpecs
): World => {
  const cache = makeSeriesCache(cacheSize)
  const keys = new Map<string, Key>()
  // Names are of a fixed set (a kind of datum and an instrument), so this memory is bounded too.
  const key = (name: string): Key => {
    const known = keys.get(name)
    if (known !== undefined) return known
    const made = streamKey(seed, name)
    keys.set(name, made)
    return made
  }
  const markets = coins.map((spec, id) => new CoinMarket(makeCoinSeries(seed, spec, id, cache)))
  const byCoin = new Map(markets.map((market) => [market.spec.coin, market]))
  const liquidations = new Liquidations(key, cacheSize / seriesBarsPerLiquidationDay)
  const fx = new ForeignExchange(seed, fxId, cache, markets[0]!)
  return {
    seed,
    coins,
    coin: (coin) => byCoin.get(coin),
    markets,
    liquidations,
    derivatives: new Derivatives(key, liquidations),
    fx,
    korea: new Korea(key, fx, markets),
    equities: new Equities(seed, firstEquityId, cache, key),
    key
  }
}
