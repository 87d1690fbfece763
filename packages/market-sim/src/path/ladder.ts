/**
 * The ladder of intervals: how each is divided into shorter ones, down to a second. All lengths in seconds.
 *
 * Its steps are wide (24 hours, 12 times five minutes). A part that holds the high or the low of an hour or a shorter
 * bar is bound to reach it, which lowers its correlation with other instruments. With many parts few are bound.
 * Intervals between the steps are added up from the lower step.
 */

const repeat = (count: number, seconds: number): ReadonlyArray<number> => Array.from({ length: count }, () => seconds)

export const daySeconds = 86_400
export const hour = 3_600
const halfHour = 1_800
export const fiveMinutes = 300

const below: ReadonlyMap<number, ReadonlyArray<number>> = new Map([
  [hour, repeat(12, fiveMinutes)],
  [halfHour, repeat(6, fiveMinutes)],
  [fiveMinutes, repeat(5, 60)],
  [60, repeat(12, 5)],
  [5, repeat(5, 1)]
])

/** The most parts that an interval has. */
export const mostParts = 24

/** Hours, and what is left of them at the end. */
const stretches = (seconds: number): ReadonlyArray<number> => {
  const rest = seconds % hour
  return [...repeat((seconds - rest) / hour, hour), ...(rest > 0 ? [rest] : [])]
}

/** Every length that occurs above an hour: multiples of half an hour up to a day. */
const above = new Map(
  repeat(daySeconds / halfHour, halfHour)
    .map((_, i) => (i + 1) * halfHour)
    .filter((seconds) => seconds > hour)
    .map((seconds) => [seconds, stretches(seconds)] as const)
)

/** Lengths of the parts of an interval, in order; undefined at the last step. */
export const partsOf = (seconds: number): ReadonlyArray<number> | undefined => below.get(seconds) ?? above.get(seconds)

/** A small number (below 64) that stands for a length, for cache keys. */
const ranks = new Map([...below.keys(), ...above.keys()].map((seconds, i) => [seconds, i]))
export const rankOf = (seconds: number): number => ranks.get(seconds) ?? ranks.size
