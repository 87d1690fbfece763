import type { BookLevel } from "@tapeline/core/market"

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
export const foldSide = (levels: ReadonlyArray<BookLevel>): ReadonlyArray<BookLevel> => {
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
