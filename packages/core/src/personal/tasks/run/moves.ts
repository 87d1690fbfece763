import { amount, percent } from "../../../engine/tool/rounding.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { MinuteSeries } from "./series.ts"

/** The period within which a move counts. */
export const moveMs = 60 * minuteMs
/** The maximum number of moves that are listed. */
const mostNamed = 10

/** Returns the price at the end of a minute. */
export type PriceAt = (end: number) => number | null

/**
 * Returns the largest move to the end of a minute from any of the 60 minutes before it. The move is a signed percentage
 * of the earlier price. Null if the price is unknown now, or at all of these minutes.
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

/** Computes the moves of instruments, largest first. Each minute is computed once and shared by all watches. */
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

/**
 * Creates the series of the largest absolute move among instruments. Its details list the moves that reach the watch's
 * level.
 */
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
