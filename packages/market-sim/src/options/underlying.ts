/** The underlying of options, a coin or a stock, from which chains and trades are generated. */
import { dayMs, hourMs, type Interval, type OptionType } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { type Derivatives, formatInstrumentDate } from "../coin/Derivatives.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import type { Key } from "../kernel/random.ts"
import { CoinSurface } from "./CoinSurface.ts"
import { getCoinExpiries, type ListedExpiry } from "./expiriesAndStrikes.ts"
import { type Surface, yearMs } from "./surface.ts"

/** The information that traders have at the beginning of a UTC day. */
export interface MorningInformation {
  readonly spot: number
  /** The annualised realised volatility; 1 is 100 %. */
  readonly sigma: number
  /** The direction of the recent price trend, from -1 (falling) to 1 (rising). */
  readonly direction: number
}

export interface Underlying {
  readonly symbol: string
  /** The units of the underlying per option contract. */
  readonly multiplier: number
  /** The key of the random numbers of the option trades. */
  readonly key: Key
  /** The smallest trade size, in units of the underlying. */
  readonly lot: number
  readonly medianSize: number
  readonly dailyTrades: number
  /** The usual annualised volatility, which determines the range of strikes. */
  readonly usualVolatility: number
  readonly expiries: (time: number) => ReadonlyArray<ListedExpiry>
  readonly spot: (time: number) => number
  readonly getMorning: (day: number) => MorningInformation
  /** Returns the trading activity of a day relative to a usual day, or 0 if the venue is closed. */
  readonly activity: (day: number) => number
  readonly hours: (day: number) => Interval
  /** Returns the start of the period that `volume24h` covers: 24 hours earlier, or the opening of the session. */
  readonly getVolumeStart: (time: number) => number
  readonly surface: (time: number) => Surface
  /** Returns the forward price of an expiry divided by the spot price. */
  readonly forwardRatio: (time: number, expiryAt: number) => number
  /** Returns the present value of one dollar at the expiry. */
  readonly discount: (time: number, expiryAt: number) => number
  /** Whether options may be exercised before their expiry. */
  readonly isAmerican: boolean
  /** Returns the tick size of option quotes at a mark price, in USD. */
  readonly tick: (spot: number, mark: number) => number
  readonly instrument: (expiryAt: number, strike: number, type: OptionType) => string
}

const isWeekend = (day: number): boolean => (day + 3) % 7 >= 5

interface TradingHabits {
  readonly lot: number
  readonly medianSize: number
  readonly dailyTrades: number
}

/** The coins with listed options, with trade sizes near those of the largest options exchange. */
const habitsByCoin: Readonly<Record<string, TradingHabits>> = {
  BTC: { lot: 0.1, medianSize: 3.5, dailyTrades: 2_000 },
  ETH: { lot: 1, medianSize: 40, dailyTrades: 1_400 },
  SOL: { lot: 10, medianSize: 180, dailyTrades: 500 }
}

export const coinsWithOptions: ReadonlyArray<string> = Object.keys(habitsByCoin)

/** Creates a function that returns the forward price divided by the spot price, interpolated between listed futures. */
const makeForwardRatio = (market: CoinMarket, derivatives: Derivatives) => {
  const futuresCurves = new BoundedCache<ReadonlyArray<{ readonly expiryAt: number; readonly annualBasis: number }>>(
    256
  )
  return (time: number, expiryAt: number): number => {
    const curve = futuresCurves.get(time, () =>
      derivatives.futures(market, time).map((future) => ({
        expiryAt: future.expiryAt,
        annualBasis: (future.price / future.indexPrice - 1) * yearMs / (future.expiryAt - time)
      })))
    const after = curve.findIndex((point) => point.expiryAt >= expiryAt)
    const right = curve[after < 0 ? curve.length - 1 : after]!
    const left = after > 0 ? curve[after - 1]! : right
    const share = right === left ? 0 : (expiryAt - left.expiryAt) / (right.expiryAt - left.expiryAt)
    return 1 + (left.annualBasis + share * (right.annualBasis - left.annualBasis)) * (expiryAt - time) / yearMs
  }
}

/** Creates a coin as the underlying of options, or returns undefined if the venue lists no options on the coin. */
export const makeCoinUnderlying = (
  market: CoinMarket,
  derivatives: Derivatives,
  key: (name: string) => Key
): Underlying | undefined => {
  const { coin } = market.spec
  const coinHabits = habitsByCoin[coin]
  if (coinHabits === undefined) return undefined
  const surface = new CoinSurface(market, key(`implied volatility ${coin}`))
  const morningCache = new BoundedCache<MorningInformation>(1_024)
  const surfaces = new BoundedCache<Surface>(4_096)
  return {
    ...coinHabits,
    symbol: coin,
    multiplier: 1,
    key: key(`option trades ${coin}`),
    usualVolatility: 1.1 * market.spec.dailySd * Math.sqrt(365),
    expiries: getCoinExpiries,
    spot: (time) => market.price(time),
    getMorning: (day) =>
      morningCache.get(day, () => ({
        spot: market.price(day * dayMs),
        sigma: Math.sqrt(surface.computeRealisedVariance(day * dayMs)),
        direction: computeMomentum(market, day * dayMs, 3 * dayMs, 1.5)
      })),
    activity: (day) => isWeekend(day) ? 0.55 : 1.12,
    hours: (day) => ({ from: day * dayMs, to: (day + 1) * dayMs }),
    getVolumeStart: (time) => time - dayMs + 1,
    surface: (time) =>
      time % hourMs === 0 ? surfaces.get(time, () => surface.getSurface(time)) : surface.getSurface(time),
    forwardRatio: makeForwardRatio(market, derivatives),
    discount: () => 1,
    isAmerican: false,
    // The tick size is 0.0001 coins, or 0.0005 coins for prices of at least 0.005 coins.
    tick: (spot, mark) => spot * (mark < 0.005 * spot ? 0.0001 : 0.0005),
    instrument: (expiryAt, strike, type) =>
      `${coin}-${formatInstrumentDate(expiryAt)}-${strike}-${type === "call" ? "C" : "P"}`
  }
}
