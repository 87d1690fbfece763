import type { BookLevel, OrderBook } from "@tapeline/core/market"

/** The number of best levels that stay single. A side with no more levels is not folded. */
const unfoldedLevels = 200

/** The width of a fold, as a fraction of the best price. */
const foldWidth = 0.0001

const mergeLevels = (levels: ReadonlyArray<BookLevel>): BookLevel => {
  const size = levels.reduce((sum, level) => sum + level.size, 0)
  const value = levels.reduce((sum, level) => sum + level.size * level.price, 0)
  return { price: value / size, size }
}

/**
 * Reduces a side of an order book, best price first. Beyond the best levels, levels within 0.01 % of the best price
 * become one. Its price is the value divided by the size, so the total value is preserved.
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
 * The depth to which a side is known, as a fraction of the middle. Undefined if the venue returned fewer than
 * `maxLevels` levels, because the side is complete then.
 */
const depthOf = (side: ReadonlyArray<BookLevel>, maxLevels: number, midPrice: number): number | undefined => {
  const last = side.at(-1)
  return last === undefined || side.length < maxLevels ? undefined : Math.abs(last.price / midPrice - 1)
}

/**
 * Folds the order book of a venue, which was requested with `maxLevels` levels a side, so that it is small enough to
 * store.
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
