import type { BookLevel, OrderBook } from "@tapeline/core/market"

/** So many of the best levels are told one by one; a side that has no more is not folded at all. */
const single = 200

/** What is folded together, as a fraction of the best price. */
const step = 0.0001

const fold = (levels: ReadonlyArray<BookLevel>): BookLevel => {
  const size = levels.reduce((sum, level) => sum + level.size, 0)
  const value = levels.reduce((sum, level) => sum + level.size * level.price, 0)
  return { price: value / size, size }
}

/**
 * A side of a book, best first, small enough to be kept: beyond its best levels, those within a hundredth of a per cent
 * become one, at the price that their value and their size make, so that no value is lost.
 */
const foldSide = (levels: ReadonlyArray<BookLevel>): ReadonlyArray<BookLevel> => {
  const best = levels[0]
  if (best === undefined || levels.length <= single) return levels
  const folded = levels.slice(0, single)
  const bucketOf = ({ price }: BookLevel): number => Math.floor(Math.abs(price / best.price - 1) / step)
  for (let i = single; i < levels.length;) {
    const bucket = bucketOf(levels[i]!)
    let end = i + 1
    while (end < levels.length && bucketOf(levels[end]!) === bucket) end++
    folded.push(end - i === 1 ? levels[i]! : fold(levels.slice(i, end)))
    i = end
  }
  return folded
}

/** How far a side is known, as a fraction of the middle; one with fewer levels than were asked for is known whole. */
const reachOf = (side: ReadonlyArray<BookLevel>, most: number, middle: number): number | undefined => {
  const last = side.at(-1)
  return last === undefined || side.length < most ? undefined : Math.abs(last.price / middle - 1)
}

/** A venue's book, of which it was asked for so many levels a side, small enough to be kept. */
export const foldBook = (
  { asks, bids, time }: Pick<OrderBook, "asks" | "bids" | "time">,
  most: number
): OrderBook => {
  const [bid, ask] = [bids[0], asks[0]]
  const middle = bid === undefined || ask === undefined ? NaN : (bid.price + ask.price) / 2
  const [bidsReach, asksReach] = [reachOf(bids, most, middle), reachOf(asks, most, middle)]
  return {
    time,
    bids: foldSide(bids),
    asks: foldSide(asks),
    ...(bidsReach === undefined ? {} : { bidsReach }),
    ...(asksReach === undefined ? {} : { asksReach })
  }
}
