/** The option chains, trades and history of implied volatility of one underlying. */
import {
  dayMs,
  hourMs,
  type IvPoint,
  type OptionChain,
  type OptionExpiry,
  type OptionQuote,
  type OptionTrade,
  type OptionType
} from "@tapeline/core/market"
import { black76 } from "@tapeline/quant/options"
import { derive, normal, uniform } from "../kernel/random.ts"
import { type DealtTrade, OptionFlow } from "./flow.ts"
import type { ListedExpiry } from "./listing.ts"
import { atmVariance, slice, volatilityAt, yearMs } from "./surface.ts"
import type { Underlying } from "./underlying.ts"

/**
 * Half the spread of a quote, in points of volatility (0.01 is one point): at the money, and the increase per deviation
 * away from it.
 */
const halfSpread = { base: 0.006, perDeviation: 0.004 }
/** Below a price of this number of ticks, an ask is sometimes missing. */
const dust = 2

export interface OptionBook {
  /** The chain at a time: all expiries, or one. Undefined if the requested expiry is not listed. */
  readonly chain: (time: number, expiryAt?: number) => WholeChain | undefined
  /** The newest `limit` trades of `[from, to)`, oldest first. */
  readonly trades: (from: number, to: number, limit: number) => ReadonlyArray<OptionTrade>
  /**
   * The at-the-money volatility at a constant maturity, once a day. The last point is at the hour of `time`. Days are
   * missing if the listed expiries do not enclose the maturity.
   */
  readonly ivHistory: (time: number, days: number, maturityDays: number) => ReadonlyArray<IvPoint>
}

type WholeQuote = OptionQuote & {
  readonly mark: number
  readonly ivPct: number
  readonly openInterest: number
  readonly volume24h: number
}
type WholeExpiry = Omit<OptionExpiry, "quotes"> & {
  readonly forward: number
  readonly discount: number
  readonly quotes: ReadonlyArray<WholeQuote>
}

/** A chain in which all forwards, volatilities and open interests are known. */
export type WholeChain = Omit<OptionChain, "expiries"> & { readonly expiries: ReadonlyArray<WholeExpiry> }

interface Marked {
  readonly forward: number
  readonly strike: number
  readonly years: number
  readonly sigma: number
  readonly type: OptionType
}

/**
 * The undiscounted Black-76 price. An in-the-money option is priced as the out-of-the-money option plus the difference,
 * so parity holds exactly.
 */
const forwardPrice = ({ forward, strike, years, sigma, type }: Marked): number => {
  const outside: OptionType = strike < forward ? "put" : "call"
  const { price } = black76({ forward, strike, years, sigma, type: outside })
  return type === outside ? price : price + Math.abs(forward - strike)
}

/**
 * The mark price, discounted to now. If the holder may exercise at once (American style), it is at least the exercise
 * value. Coin options are settled in the coin, which is not discounted.
 */
const markPrice = (of: Marked, underlying: Underlying, time: number, expiryAt: number, spot: number): number => {
  const price = underlying.discount(time, expiryAt) * forwardPrice(of)
  if (!underlying.isAmerican) return price
  return Math.max(price, of.type === "call" ? spot - of.strike : of.strike - spot)
}

/** A whole number of ticks, without the imprecise last digits of binary fractions. */
const onTick = (ticks: number, tick: number): number => Number((ticks * tick).toPrecision(12))

/** The price of a trade: from the smile of the hour, half a spread plus noise away from the mark. */
const priced = (underlying: Underlying, trade: DealtTrade): OptionTrade => {
  const { time, strike, type, expiryAt, side, size } = trade
  const hour = Math.floor(time / hourMs) * hourMs
  const surface = underlying.surface(hour)
  const spot = underlying.spot(time)
  const forward = spot * underlying.forwardRatio(hour, expiryAt)
  // The smile of the hour, with at least an hour until its expiry.
  const shape = slice(surface, Math.max(expiryAt, hour + hourMs))
  const shapeYears = (Math.max(expiryAt, hour + hourMs) - hour) / yearMs
  const mark = volatilityAt(shape, Math.log(strike / forward), shapeYears)
  const paid = (side === "buy" ? 1 : -1) * halfSpread.base + 0.003 * trade.luck
  const sigma = mark * Math.exp(paid)
  const years = (expiryAt - time) / yearMs
  const price = markPrice({ forward, strike, years, sigma, type }, underlying, time, expiryAt, spot)
  return {
    time,
    instrument: underlying.instrument(expiryAt, strike, type),
    type,
    strike,
    expiryAt,
    side,
    size,
    premiumUsd: Math.round(price * size * 100) / 100,
    ivPct: 100 * sigma,
    spot
  }
}

/**
 * The implied volatility at a constant maturity, interpolated in total variance between the listed expiries around it.
 * Before the first expiry, variance grows in proportion to time.
 */
const constantMaturity = (underlying: Underlying, time: number, maturityDays: number): number | undefined => {
  const surface = underlying.surface(time)
  const target = time + maturityDays * dayMs
  const expiries = underlying.expiries(time)
  const after = expiries.find((expiry) => expiry.expiryAt >= target)?.expiryAt
  if (after === undefined) return undefined
  const before = expiries.findLast((expiry) => expiry.expiryAt < target)?.expiryAt ?? time
  const near = before === time ? 0 : atmVariance(surface, before)
  const far = atmVariance(surface, after)
  const variance = near + (far - near) * (target - before) / (after - before)
  return Math.sqrt(variance * 365 / maturityDays)
}

/** The quotes of all listed options of an expiry. */
const quotesOf = (
  underlying: Underlying,
  flow: OptionFlow,
  expiry: ListedExpiry,
  { forward, spot, time }: { readonly time: number; readonly spot: number; readonly forward: number }
): ReadonlyArray<WholeQuote> => {
  const { expiryAt } = expiry
  const surface = underlying.surface(time)
  const smile = slice(surface, expiryAt)
  const years = (expiryAt - time) / yearMs
  const deviation = Math.sqrt(atmVariance(surface, expiryAt))
  const minute = derive(underlying.key, 0x51, Math.floor(time / 60_000))
  return flow.instruments(expiry, time).map(({ strike, type, openInterest, volume24h }, i) => {
    const k = Math.log(strike / forward)
    const sigma = volatilityAt(smile, k, years)
    const mark = markPrice({ forward, strike, years, sigma, type }, underlying, time, expiryAt, spot)
    const { vega } = black76({ forward, strike, years, sigma, type })
    const tick = underlying.tick(spot, mark)
    const points = (halfSpread.base + halfSpread.perDeviation * Math.abs(k) / deviation) * sigma
    const half = Math.max(tick, vega * points) * Math.exp(0.3 * normal(minute, 2 * i))
    const bid = onTick(Math.floor((mark - half) / tick), tick)
    const ask = onTick(Math.ceil((mark + half) / tick), tick)
    const noAsk = mark < dust * tick && uniform(minute, 2 * i + 1) < 0.12
    return {
      instrument: underlying.instrument(expiryAt, strike, type),
      type,
      strike,
      bid: bid > 0 ? bid : null,
      ask: noAsk ? null : ask,
      mark,
      ivPct: 100 * sigma,
      openInterest,
      volume24h
    }
  })
}

export const makeOptionBook = (underlying: Underlying): OptionBook => {
  const flow = new OptionFlow(underlying)

  const chain: OptionBook["chain"] = (time, expiryAt) => {
    const listed = underlying.expiries(time).filter((expiry) => expiryAt === undefined || expiry.expiryAt === expiryAt)
    if (listed.length === 0) return undefined
    const spot = underlying.spot(time)
    return {
      time,
      underlying: underlying.symbol,
      spot,
      multiplier: underlying.multiplier,
      expiries: listed.map((expiry) => {
        const forward = spot * underlying.forwardRatio(time, expiry.expiryAt)
        return {
          expiryAt: expiry.expiryAt,
          forward,
          discount: underlying.discount(time, expiry.expiryAt),
          exercise: underlying.isAmerican ? "american" : "european",
          quotes: quotesOf(underlying, flow, expiry, { time, spot, forward })
        }
      })
    }
  }

  const trades: OptionBook["trades"] = (from, to, limit) => {
    const newest: Array<OptionTrade> = []
    for (let day = Math.floor((to - 1) / dayMs); (day + 1) * dayMs > from && newest.length < limit; day--) {
      for (const trade of flow.trades(day).toReversed()) {
        if (trade.time >= to || trade.time < from || newest.length >= limit) continue
        newest.push(priced(underlying, trade))
      }
    }
    return newest.toReversed()
  }

  return {
    chain,
    trades,
    ivHistory: (time, days, maturityDays) => {
      const last = Math.floor(time / hourMs) * hourMs
      return Array.from({ length: days }, (_, i) => last - (days - 1 - i) * dayMs).flatMap((at) => {
        const iv = constantMaturity(underlying, at, maturityDays)
        return iv === undefined ? [] : [{ time: at, ivPct: 100 * iv }]
      })
    }
  }
}
