/**
 * The daily price limit of the Korea Exchange. Since June 2015, prices stay within 30 % of the base price. The base
 * price is the close of the session before, scaled for splits.
 */
import { previousSession, type TradingSession } from "@tapeline/core/market"
import { BoundedCache } from "../kernel/cache.ts"

const limit = 0.3

/** The KRX tick for a price in won (since January 2023). */
export const koreanTick = (price: number): number => {
  for (const [below, tick] of [[2e3, 1], [5e3, 5], [2e4, 10], [5e4, 50], [2e5, 100], [5e5, 500]] as const) {
    if (price < below) return tick
  }
  return 1000
}

/** The nearest price on a KRX tick. */
export const onKoreanTick = (price: number): number => {
  const tick = koreanTick(price)
  return Math.round(price / tick) * tick
}

/** The lowest and the highest price of a session. */
export interface PriceRange {
  readonly low: number
  readonly high: number
}

/** The range around a base price, on ticks. */
const rangeOf = (base: number): PriceRange => {
  const [low, high] = [(1 - limit) * base, (1 + limit) * base]
  // Rounding may leave a whole number of ticks slightly too small or too large.
  const [down, up] = [low / koreanTick(low), high / koreanTick(high)]
  return { low: Math.ceil(down - 1e-9) * koreanTick(low), high: Math.floor(up + 1e-9) * koreanTick(high) }
}

export const within = ({ high, low }: PriceRange, price: number): number => Math.min(high, Math.max(low, price))

/** The maximum number of sessions after a limited close until the price is on its path again. */
const sessionsBack = 5

export interface LimitedStock {
  readonly listedAt: number
  /** The price at a session's close without a limit. */
  readonly closeOf: (session: TradingSession) => number
  /** The number of shares at a time for one share of the reference. */
  readonly shareFactor: (time: number) => number
}

/** Returns the price range of a session. Null for the first session, which has no base price. */
export const priceLimits = ({ closeOf, listedAt, shareFactor }: LimitedStock) => {
  const ranges = new BoundedCache<PriceRange | null>(256)
  const compute = (session: TradingSession): PriceRange | null => {
    const sessions = [session]
    while (sessions.length <= sessionsBack) {
      const before = previousSession("KR", sessions[0]!.day)
      if (before.openAt < listedAt) break
      sessions.unshift(before)
    }
    const [first, ...rest] = sessions
    let before = first!
    let close = closeOf(before)
    let range: PriceRange | null = null
    for (const next of rest) {
      range = rangeOf(close * shareFactor(before.closeAt) / shareFactor(next.openAt))
      close = within(range, closeOf(next))
      before = next
    }
    return range
  }
  return (session: TradingSession): PriceRange | null => ranges.get(session.day, () => compute(session))
}
