import { amount, percent } from "../../../engine/tool/rounding.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { MinuteSeries } from "./series.ts"

/** Within so long a move counts. */
export const moveMs = 60 * minuteMs
/** More that moved are not named. */
const mostNamed = 10

/** Prices at the ends of minutes. */
export type PriceAt = (end: number) => number | null

/**
 * The largest move to the end of a minute from that of any of the 60 before it, percent of the price there, with its
 * sign; null without a price now, or before.
 */
export const moveOf = (priceAt: PriceAt, end: number): number | null => {
  const now = priceAt(end)
  if (now === null) return null
  let [low, high] = [Infinity, 0]
  for (let time = end - moveMs; time < end; time += minuteMs) {
    const price = priceAt(time)
    if (price === null) continue
    low = Math.min(low, price)
    high = Math.max(high, price)
  }
  if (high === 0) return null
  const [up, down] = [100 * (now / low - 1), 100 * (now / high - 1)]
  return up >= -down ? up : down
}

interface Moved {
  readonly symbol: string
  readonly move: number
  readonly price: number
}

/** The moves of instruments, the largest first; each minute is computed once, however many watch it. */
const makeMoves = (prices: ReadonlyMap<string, PriceAt>) => {
  const known = new Map<number, ReadonlyArray<Moved>>()
  return (end: number): ReadonlyArray<Moved> => {
    const before = known.get(end)
    if (before !== undefined) return before
    const moved = Array.from(
      prices,
      ([symbol, priceAt]) => ({ symbol, move: moveOf(priceAt, end), price: priceAt(end) })
    )
      .filter((one): one is Moved => one.move !== null)
      .sort((a, b) => Math.abs(b.move) - Math.abs(a.move))
    known.set(end, moved)
    return moved
  }
}

/** How far one of some instruments has moved; what is told are those that moved so far. */
export const gapSeries = (prices: ReadonlyMap<string, PriceAt>, knownUntil: number): MinuteSeries => {
  const movesAt = makeMoves(prices)
  return {
    knownUntil,
    valueAt: (end) => {
      const [largest] = movesAt(end)
      return largest === undefined ? null : Math.abs(largest.move)
    },
    detailsAt: (end, spec) => {
      const moved = movesAt(end).filter(({ move }) => spec.metric === "gap" && Math.abs(move) >= spec.value)
      return {
        moves: moved.slice(0, mostNamed).map(({ move, price, symbol }) => ({
          symbol,
          move_pct: percent(move),
          price: amount(price)
        })),
        moved: moved.length
      }
    }
  }
}
