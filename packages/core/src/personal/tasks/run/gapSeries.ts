import { amount, percent } from "../../../engine/tool/rounding.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { MinuteSeries } from "./minuteSeries.ts"

/** The period within which a price move counts for a `gap` watch. */
export const moveWindowMs = 60 * minuteMs
const maxListedMoves = 10

/** Returns the price at the end of a minute, or null if the price is unknown. */
export type PriceAt = (end: number) => number | null

/** Returns the largest price move within 60 minutes before `end`, as a signed percentage, or null without prices. */
export const findLargestMove = (priceAt: PriceAt, end: number): number | null => {
  const now = priceAt(end)
  if (now === null) return null
  let [low, high] = [Infinity, 0]
  for (let time = end - moveWindowMs; time < end; time += minuteMs) {
    const price = priceAt(time)
    if (price === null) continue
    low = Math.min(low, price)
    high = Math.max(high, price)
  }
  if (high === 0) return null
  const [up, down] = [100 * (now / low - 1), 100 * (now / high - 1)]
  return up >= -down ? up : down
}

interface InstrumentMove {
  readonly symbol: string
  readonly move: number
  readonly price: number
}

/** Computes the moves of instruments at the end of a minute once for all watches, largest first. */
const makeMovesReader = (prices: ReadonlyMap<string, PriceAt>) => {
  const cache = new Map<number, ReadonlyArray<InstrumentMove>>()
  return (end: number): ReadonlyArray<InstrumentMove> => {
    const cached = cache.get(end)
    if (cached !== undefined) return cached
    const moves = Array.from(
      prices,
      ([symbol, priceAt]) => ({ symbol, move: findLargestMove(priceAt, end), price: priceAt(end) })
    )
      .filter((entry): entry is InstrumentMove => entry.move !== null)
      .sort((a, b) => Math.abs(b.move) - Math.abs(a.move))
    cache.set(end, moves)
    return moves
  }
}

/**
 * Creates the minute series of the largest absolute price move among all instruments. `detailsAt` returns the largest
 * moves that reach the watch's level, and the number of all such moves.
 */
export const makeGapSeries = (prices: ReadonlyMap<string, PriceAt>, knownUntil: number): MinuteSeries => {
  const readMoves = makeMovesReader(prices)
  return {
    knownUntil,
    valueAt: (end) => {
      const [largest] = readMoves(end)
      return largest === undefined ? null : Math.abs(largest.move)
    },
    detailsAt: (end, spec) => {
      const qualifyingMoves = readMoves(end).filter(({ move }) => spec.metric === "gap" && Math.abs(move) >= spec.value)
      return {
        moves: qualifyingMoves.slice(0, maxListedMoves).map(({ move, price, symbol }) => ({
          symbol,
          move_pct: percent(move),
          price: amount(price)
        })),
        moved: qualifyingMoves.length
      }
    }
  }
}
