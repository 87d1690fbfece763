/**
 * The ladder of intervals: how each is divided into shorter ones, down to a second. All lengths in seconds.
 */

const repeat = (count: number, seconds: number): ReadonlyArray<number> => Array.from({ length: count }, () => seconds)

/** Exchange sessions are divided into whole hours and a last half hour, as their hourly bars are. */
const session = (hours: number): ReadonlyArray<number> => [...repeat(hours, 3600), 1800]

export const daySeconds = 86_400

const children: ReadonlyMap<number, ReadonlyArray<number>> = new Map([
  [daySeconds, repeat(6, 14_400)],
  [14_400, repeat(4, 3600)],
  [6 * 3600 + 1800, session(6)],
  [5 * 3600 + 1800, session(5)],
  [3 * 3600 + 1800, session(3)],
  [3600, repeat(4, 900)],
  [1800, repeat(2, 900)],
  [900, repeat(3, 300)],
  [300, repeat(5, 60)],
  [60, repeat(4, 15)],
  [15, repeat(3, 5)],
  [5, repeat(5, 1)]
])

/** Lengths of the parts of an interval, in order; undefined below the last step. */
export const partsOf = (seconds: number): ReadonlyArray<number> | undefined => children.get(seconds)

/** A small number that stands for a length, for cache keys. */
const ranks = new Map([...children.keys()].map((seconds, i) => [seconds, i]))
export const rankOf = (seconds: number): number => ranks.get(seconds) ?? ranks.size
