/**
 * The daily price limit of the Korea Exchange: 30 % around the previous close, adjusted for splits, since June 2015.
 */
import { previousSession, type TradingSession } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"

const limitFraction = 0.3

/** Returns the tick size of the Korea Exchange for a price in won, as of January 2023. */
export const getKoreanTick = (price: number): number => {
  for (const [upperBound, tick] of [[2e3, 1], [5e3, 5], [2e4, 10], [5e4, 50], [2e5, 100], [5e5, 500]] as const) {
    if (price < upperBound) return tick
  }
  return 1000
}

/** Rounds a price in won to the nearest tick of the Korea Exchange. */
export const roundToKoreanTick = (price: number): number => {
  const tick = getKoreanTick(price)
  return Math.round(price / tick) * tick
}

export interface PriceRange {
  readonly low: number
  readonly high: number
}

const makeRange = (base: number): PriceRange => {
  const [low, high] = [(1 - limitFraction) * base, (1 + limitFraction) * base]
  // The tolerance compensates for rounding errors of the division by the tick size.
  const [lowInTicks, highInTicks] = [low / getKoreanTick(low), high / getKoreanTick(high)]
  return {
    low: Math.ceil(lowInTicks - 1e-9) * getKoreanTick(low),
    high: Math.floor(highInTicks + 1e-9) * getKoreanTick(high)
  }
}

export const clamp = ({ high, low }: PriceRange, price: number): number => Math.min(high, Math.max(low, price))

/** The maximum number of previous sessions that a price limit is computed from. */
const maxSessionsBack = 5

export interface PriceLimitOptions {
  readonly listedAt: number
  readonly getUnlimitedClose: (session: TradingSession) => number
  /** Returns the number of shares at `time` that correspond to one share at the reference time. */
  readonly shareFactor: (time: number) => number
}

/** Creates a function that returns the price limits of a session, or null in the first session. */
export const makePriceLimits = ({ getUnlimitedClose, listedAt, shareFactor }: PriceLimitOptions) => {
  const ranges = new BoundedCache<PriceRange | null>(256)
  const computeRange = (session: TradingSession): PriceRange | null => {
    const sessions = [session]
    while (sessions.length <= maxSessionsBack) {
      const before = previousSession("KR", sessions[0]!.day)
      if (before.openAt < listedAt) break
      sessions.unshift(before)
    }
    const [first, ...rest] = sessions
    let before = first!
    let close = getUnlimitedClose(before)
    let range: PriceRange | null = null
    for (const next of rest) {
      range = makeRange(close * shareFactor(before.closeAt) / shareFactor(next.openAt))
      close = clamp(range, getUnlimitedClose(next))
      before = next
    }
    return range
  }
  return (session: TradingSession): PriceRange | null => ranges.get(session.day, () => computeRange(session))
}
