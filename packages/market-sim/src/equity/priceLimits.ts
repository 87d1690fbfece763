/**
 * The daily price limit of the Korea Exchange. Since June 2015, prices stay within 30 % of the base price. The base
 * price is the close of the session before, scaled for splits.
 */
import { previousSession, type TradingSession } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"

const limitFraction = 0.3

/** The KRX tick for a price in won (since January 2023). */
export const getKoreanTick = (price: number): number => {
  for (const [upperBound, tick] of [[2e3, 1], [5e3, 5], [2e4, 10], [5e4, 50], [2e5, 100], [5e5, 500]] as const) {
    if (price < upperBound) return tick
  }
  return 1000
}

/** The nearest price on a KRX tick. */
export const roundToKoreanTick = (price: number): number => {
  const tick = getKoreanTick(price)
  return Math.round(price / tick) * tick
}

/** The lowest and the highest price of a session. */
export interface PriceRange {
  readonly low: number
  readonly high: number
}

/** The range around a base price, on ticks. */
const makeRange = (base: number): PriceRange => {
  const [low, high] = [(1 - limitFraction) * base, (1 + limitFraction) * base]
  // Rounding may leave a whole number of ticks slightly too small or too large.
  const [lowInTicks, highInTicks] = [low / getKoreanTick(low), high / getKoreanTick(high)]
  return {
    low: Math.ceil(lowInTicks - 1e-9) * getKoreanTick(low),
    high: Math.floor(highInTicks + 1e-9) * getKoreanTick(high)
  }
}

export const clamp = ({ high, low }: PriceRange, price: number): number => Math.min(high, Math.max(low, price))

/** The maximum number of sessions after a limited close until the price is on its path again. */
const maxSessionsBack = 5

export interface PriceLimitOptions {
  readonly listedAt: number
  /** The price at a session's close without a limit. */
  readonly getUnlimitedClose: (session: TradingSession) => number
  /** The number of shares at a time for one share of the reference. */
  readonly shareFactor: (time: number) => number
}

/** Returns the price range of a session. Null for the first session, which has no base price. */
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
