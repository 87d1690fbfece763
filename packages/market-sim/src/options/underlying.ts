/** The underlying of options, for the generators of chains and trades: a coin or a stock. */
import { dayMs, hourMs, type Interval, type OptionType } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { type Derivatives, formatInstrumentDate } from "../coin/Derivatives.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { BoundedCache } from "../kernel/cache.ts"
import type { Key } from "../kernel/random.ts"
import { CoinSurface } from "./CoinSurface.ts"
import { getCoinExpiries, type ListedExpiry } from "./expiriesAndStrikes.ts"
import { type Surface, yearMs } from "./surface.ts"

/** The information of traders at the beginning of a day (UTC). */
export interface MorningInformation {
  readonly spot: number
  /** The annualised realised volatility; 1 is 100 %. */
  readonly sigma: number
  /** The direction of the last days, from -1 to 1. */
  readonly direction: number
}

export interface Underlying {
  readonly symbol: string
  /** The units of the underlying per contract. */
  readonly multiplier: number
  /** The random stream of its trades. */
  readonly key: Key
  /** The smallest and the median trade, in units of the underlying. */
  readonly lot: number
  readonly medianSize: number
  /** The number of option trades on a usual day. */
  readonly dailyTrades: number
  /** The usual annualised volatility, which determines the range of strikes. */
  readonly usualVolatility: number
  /** The expiries that are listed and not expired, ascending. */
  readonly expiries: (time: number) => ReadonlyArray<ListedExpiry>
  readonly spot: (time: number) => number
  readonly getMorning: (day: number) => MorningInformation
  /** The trading activity of a day relative to a usual day. 0 if the venue is closed. */
  readonly activity: (day: number) => number
  /** The trading hours of a trading day. */
  readonly hours: (day: number) => Interval
  /** The start of the volume at a time: a day before it, or the opening of the session. */
  readonly getVolumeStart: (time: number) => number
  readonly surface: (time: number) => Surface
  /** The price of the expiry's forward relative to spot. */
  readonly forwardRatio: (time: number, expiryAt: number) => number
  /** The present value of a dollar at the expiry. */
  readonly discount: (time: number, expiryAt: number) => number
  /** True if the option may be exercised before its expiry. */
  readonly isAmerican: boolean
  /** The tick of quoted prices at a mark, in USD. */
  readonly tick: (spot: number, mark: number) => number
  readonly instrument: (expiryAt: number, strike: number, type: OptionType) => string
}

const isWeekend = (day: number): boolean => (day + 3) % 7 >= 5

interface TradingHabits {
  readonly lot: number
  readonly medianSize: number
  readonly dailyTrades: number
}

/** Coins with options, and trade sizes near those of the largest venue. */
const habitsByCoin: Readonly<Record<string, TradingHabits>> = {
  BTC: { lot: 0.1, medianSize: 3.5, dailyTrades: 2_000 },
  ETH: { lot: 1, medianSize: 40, dailyTrades: 1_400 },
  SOL: { lot: 10, medianSize: 180, dailyTrades: 500 }
}

export const coinsWithOptions: ReadonlyArray<string> = Object.keys(habitsByCoin)

/**
 * The forward relative to spot. It is the price of a listed future with this expiry, or is interpolated from the
 * futures' yearly basis.
 */
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

/** A coin as the underlying of options. Undefined if the venue lists no options on it. */
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
    // A ten-thousandth of the coin, or five ten-thousandths from 0.005 coins up.
    tick: (spot, mark) => spot * (mark < 0.005 * spot ? 0.0001 : 0.0005),
    instrument: (expiryAt, strike, type) =>
      `${coin}-${formatInstrumentDate(expiryAt)}-${strike}-${type === "call" ? "C" : "P"}`
  }
}
