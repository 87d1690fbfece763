/**
 * The ladder of intervals: the division of each interval into shorter ones, down to a second. All lengths are in
 * seconds.
 *
 * The steps are wide (24 hours, 12 times five minutes). In a bar of at most an hour, the part that contains the high or
 * the low must reach this extreme. Such a bound lowers the part's correlation with other instruments. With many parts,
 * few are bound. Intervals between the steps are sums of the lower step.
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

/** The maximum number of parts of an interval. */
export const mostParts = 24

/** Whole hours, and the rest at the end. */
const stretches = (seconds: number): ReadonlyArray<number> => {
  const rest = seconds % hour
  return [...repeat((seconds - rest) / hour, hour), ...(rest > 0 ? [rest] : [])]
}

/** All lengths above an hour: multiples of half an hour up to a day. */
const above = new Map(
  repeat(daySeconds / halfHour, halfHour)
    .map((_, i) => (i + 1) * halfHour)
    .filter((seconds) => seconds > hour)
    .map((seconds) => [seconds, stretches(seconds)] as const)
)

/** The lengths of an interval's parts, in order. Undefined at the last step. */
export const partsOf = (seconds: number): ReadonlyArray<number> | undefined => below.get(seconds) ?? above.get(seconds)

/** A number below 64 for each length, for cache keys. */
const ranks = new Map([...below.keys(), ...above.keys()].map((seconds, i) => [seconds, i]))
export const rankOf = (seconds: number): number => ranks.get(seconds) ?? ranks.size
