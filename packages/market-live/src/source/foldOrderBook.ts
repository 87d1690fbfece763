import type { BookLevel, OrderBook } from "@tapeline/core/market"

/** The number of best levels per side that are never merged. */
const unfoldedLevels = 200

/** The price range that is merged to one level, as a fraction of the best price. */
const foldWidth = 0.0001

const mergeLevels = (levels: ReadonlyArray<BookLevel>): BookLevel => {
  const size = levels.reduce((sum, level) => sum + level.size, 0)
  const value = levels.reduce((sum, level) => sum + level.size * level.price, 0)
  return { price: value / size, size }
}

/**
 * Merges all but the best levels of one side of an order book, in steps of 0.01 % of the best price. A merged level has
 * the volume-weighted average price of its levels.
 */
const foldSide = (levels: ReadonlyArray<BookLevel>): ReadonlyArray<BookLevel> => {
  const best = levels[0]
  if (best === undefined || levels.length <= unfoldedLevels) return levels
  const folded = levels.slice(0, unfoldedLevels)
  const bucketOf = ({ price }: BookLevel): number => Math.floor(Math.abs(price / best.price - 1) / foldWidth)
  for (let i = unfoldedLevels; i < levels.length;) {
    const bucket = bucketOf(levels[i]!)
    let end = i + 1
    while (end < levels.length && bucketOf(levels[end]!) === bucket) end++
    folded.push(end - i === 1 ? levels[i]! : mergeLevels(levels.slice(i, end)))
    i = end
  }
  return folded
}

/**
 * Returns the known depth of one side of an order book, as a fraction of the mid price. Returns undefined for a side
 * with fewer than `maxLevels` levels.
 */
const depthOf = (side: ReadonlyArray<BookLevel>, maxLevels: number, midPrice: number): number | undefined => {
  const last = side.at(-1)
  return last === undefined || side.length < maxLevels ? undefined : Math.abs(last.price / midPrice - 1)
}

/**
 * Merges levels of an order book, so that the order book is small enough to store. `maxLevels` is the requested number
 * of levels per side.
 */
export const foldBook = (
  { asks, bids, time }: Pick<OrderBook, "asks" | "bids" | "time">,
  maxLevels: number
): OrderBook => {
  const [bid, ask] = [bids[0], asks[0]]
  const midPrice = bid === undefined || ask === undefined ? NaN : (bid.price + ask.price) / 2
  const [bidsReach, asksReach] = [depthOf(bids, maxLevels, midPrice), depthOf(asks, maxLevels, midPrice)]
  return {
    time,
    bids: foldSide(bids),
    asks: foldSide(asks),
    ...(bidsReach === undefined ? {} : { bidsReach }),
    ...(asksReach === undefined ? {} : { asksReach })
  }
}
