/**
 * The ladder of intervals: how each is divided into shorter ones, down to a second. All lengths in seconds.
 */

const repeat = (count: number, seconds: number): ReadonlyArray<number> => Array.from({ length: count }, () => seconds)

export const daySeconds = 86_400
const fourHours = 14_400
const hour = 3_600
const halfHour = 1_800
/** Up to this length an interval is divided into hours, as an exchange session's bars are; above, into four hours. */
const longestSession = 6 * hour + halfHour

const below: ReadonlyMap<number, ReadonlyArray<number>> = new Map([
  [hour, repeat(4, 900)],
  [halfHour, repeat(2, 900)],
  [900, repeat(3, 300)],
  [300, repeat(5, 60)],
  [60, repeat(4, 15)],
  [15, repeat(3, 5)],
  [5, repeat(5, 1)]
])

/** Whole steps, and what is left of them at the end. */
const steps = (seconds: number, step: number): ReadonlyArray<number> => {
  const rest = seconds % step
  return [...repeat((seconds - rest) / step, step), ...(rest > 0 ? [rest] : [])]
}

/** Every length that occurs above an hour: multiples of half an hour up to a day. */
const above = new Map(
  repeat(daySeconds / halfHour, halfHour)
    .map((_, i) => (i + 1) * halfHour)
    .filter((seconds) => seconds > hour)
    .map((seconds) => [seconds, steps(seconds, seconds > longestSession ? fourHours : hour)] as const)
)

/** Lengths of the parts of an interval, in order; undefined at the last step. At most seven. */
export const partsOf = (seconds: number): ReadonlyArray<number> | undefined => below.get(seconds) ?? above.get(seconds)

/** A small number (below 64) that stands for a length, for cache keys. */
const ranks = new Map([...below.keys(), ...above.keys()].map((seconds, i) => [seconds, i]))
export const rankOf = (seconds: number): number => ranks.get(seconds) ?? ranks.size
