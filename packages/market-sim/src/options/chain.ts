/** The option chains, the option trades and the implied volatility history of one underlying. */
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
import { deriveKey, drawNormal, drawUniform } from "../kernel/random.ts"
import type { ListedExpiry } from "./expiriesAndStrikes.ts"
import { getAtmVariance, getVolatility, makeSmile, yearMs } from "./surface.ts"
import { type InstrumentTrade, OptionFlow } from "./trading.ts"
import type { Underlying } from "./underlying.ts"

/**
 * Half the bid-ask spread, as a fraction of the implied volatility. `base` is the value at the money, and
 * `perDeviation` is added for each standard deviation between strike and forward price.
 */
const halfSpread = { base: 0.006, perDeviation: 0.004 }
/** If the mark price is below this number of ticks, the quote sometimes has no ask price. */
const minAskTicks = 2

export interface OptionBook {
  /**
   * Returns the option chain at a time, with all expiries or only `expiryAt`, or undefined if `expiryAt` is unknown.
   */
  readonly chain: (time: number, expiryAt?: number) => CompleteChain | undefined
  /** Returns the newest `limit` option trades in `[from, to)`, oldest first. */
  readonly trades: (from: number, to: number, limit: number) => ReadonlyArray<OptionTrade>
  /**
   * Returns the daily at-the-money volatility for a maturity of `maturityDays` days. Days without an expiry at or after
   * this maturity are omitted.
   */
  readonly ivHistory: (time: number, days: number, maturityDays: number) => ReadonlyArray<IvPoint>
}

type CompleteQuote = OptionQuote & {
  readonly mark: number
  readonly ivPct: number
  readonly openInterest: number
  readonly volume24h: number
}
type CompleteExpiry = Omit<OptionExpiry, "quotes"> & {
  readonly forward: number
  readonly discount: number
  readonly quotes: ReadonlyArray<CompleteQuote>
}

export type CompleteChain = Omit<OptionChain, "expiries"> & { readonly expiries: ReadonlyArray<CompleteExpiry> }

interface PricingInputs {
  readonly forward: number
  readonly strike: number
  readonly years: number
  readonly sigma: number
  readonly type: OptionType
}

/** Returns the undiscounted Black-76 price, where an in-the-money option is priced by put-call parity. */
const computeForwardPrice = ({ forward, strike, years, sigma, type }: PricingInputs): number => {
  const outOfTheMoneyType: OptionType = strike < forward ? "put" : "call"
  const { price } = black76({ forward, strike, years, sigma, type: outOfTheMoneyType })
  return type === outOfTheMoneyType ? price : price + Math.abs(forward - strike)
}

/** Returns the mark price of an option. An American option has at least its exercise value. */
const computeMarkPrice = (
  inputs: PricingInputs,
  underlying: Underlying,
  time: number,
  expiryAt: number,
  spot: number
): number => {
  // Options that are settled in a coin are not discounted.
  const price = underlying.discount(time, expiryAt) * computeForwardPrice(inputs)
  if (!underlying.isAmerican) return price
  return Math.max(price, inputs.type === "call" ? spot - inputs.strike : inputs.strike - spot)
}

/** Converts a number of ticks to a price, without the rounding errors of binary fractions. */
const toTickPrice = (ticks: number, tick: number): number => Number((ticks * tick).toPrecision(12))

/**
 * Sets the price of an option trade. The price differs from the hour's mark price by half the bid-ask spread and by
 * random noise.
 */
const priceTrade = (underlying: Underlying, trade: InstrumentTrade): OptionTrade => {
  const { time, strike, type, expiryAt, side, size } = trade
  const hour = Math.floor(time / hourMs) * hourMs
  const surface = underlying.surface(hour)
  const spot = underlying.spot(time)
  const forward = spot * underlying.forwardRatio(hour, expiryAt)
  // The expiry of a smile must be at least an hour ahead.
  const smile = makeSmile(surface, Math.max(expiryAt, hour + hourMs))
  const smileYears = (Math.max(expiryAt, hour + hourMs) - hour) / yearMs
  const mark = getVolatility(smile, Math.log(strike / forward), smileYears)
  const volatilityOffset = (side === "buy" ? 1 : -1) * halfSpread.base + 0.003 * trade.priceNoise
  const sigma = mark * Math.exp(volatilityOffset)
  const years = (expiryAt - time) / yearMs
  const price = computeMarkPrice({ forward, strike, years, sigma, type }, underlying, time, expiryAt, spot)
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
 * Returns the implied volatility at a constant maturity, interpolated in total variance between the nearest expiries.
 */
const interpolateVolatility = (underlying: Underlying, time: number, maturityDays: number): number | undefined => {
  const surface = underlying.surface(time)
  const target = time + maturityDays * dayMs
  const expiries = underlying.expiries(time)
  const after = expiries.find((expiry) => expiry.expiryAt >= target)?.expiryAt
  if (after === undefined) return undefined
  const before = expiries.findLast((expiry) => expiry.expiryAt < target)?.expiryAt ?? time
  const nearVariance = before === time ? 0 : getAtmVariance(surface, before)
  const farVariance = getAtmVariance(surface, after)
  const variance = nearVariance + (farVariance - nearVariance) * (target - before) / (after - before)
  return Math.sqrt(variance * 365 / maturityDays)
}

const makeQuotes = (
  underlying: Underlying,
  flow: OptionFlow,
  expiry: ListedExpiry,
  { forward, spot, time }: { readonly time: number; readonly spot: number; readonly forward: number }
): ReadonlyArray<CompleteQuote> => {
  const { expiryAt } = expiry
  const surface = underlying.surface(time)
  const smile = makeSmile(surface, expiryAt)
  const years = (expiryAt - time) / yearMs
  const atmDeviation = Math.sqrt(getAtmVariance(surface, expiryAt))
  const minuteKey = deriveKey(underlying.key, 0x51, Math.floor(time / 60_000))
  return flow.getInstruments(expiry, time).map(({ strike, type, openInterest, volume24h }, i) => {
    const logMoneyness = Math.log(strike / forward)
    const sigma = getVolatility(smile, logMoneyness, years)
    const mark = computeMarkPrice({ forward, strike, years, sigma, type }, underlying, time, expiryAt, spot)
    const { vega } = black76({ forward, strike, years, sigma, type })
    const tick = underlying.tick(spot, mark)
    const spreadPoints = (halfSpread.base + halfSpread.perDeviation * Math.abs(logMoneyness) / atmDeviation) * sigma
    const halfSpreadPrice = Math.max(tick, vega * spreadPoints) * Math.exp(0.3 * drawNormal(minuteKey, 2 * i))
    const bid = toTickPrice(Math.floor((mark - halfSpreadPrice) / tick), tick)
    const ask = toTickPrice(Math.ceil((mark + halfSpreadPrice) / tick), tick)
    const isAskMissing = mark < minAskTicks * tick && drawUniform(minuteKey, 2 * i + 1) < 0.12
    return {
      instrument: underlying.instrument(expiryAt, strike, type),
      type,
      strike,
      bid: bid > 0 ? bid : null,
      ask: isAskMissing ? null : ask,
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
          quotes: makeQuotes(underlying, flow, expiry, { time, spot, forward })
        }
      })
    }
  }

  const trades: OptionBook["trades"] = (from, to, limit) => {
    const newest: Array<OptionTrade> = []
    for (let day = Math.floor((to - 1) / dayMs); (day + 1) * dayMs > from && newest.length < limit; day--) {
      for (const trade of flow.trades(day).toReversed()) {
        if (trade.time >= to || trade.time < from || newest.length >= limit) continue
        newest.push(priceTrade(underlying, trade))
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
        const iv = interpolateVolatility(underlying, at, maturityDays)
        return iv === undefined ? [] : [{ time: at, ivPct: 100 * iv }]
      })
    }
  }
}
