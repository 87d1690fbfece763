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
export const hourSeconds = 3_600
const halfHourSeconds = 1_800
export const fiveMinuteSeconds = 300

const divisionsUpToAnHour: ReadonlyMap<number, ReadonlyArray<number>> = new Map([
  [hourSeconds, repeat(12, fiveMinuteSeconds)],
  [halfHourSeconds, repeat(6, fiveMinuteSeconds)],
  [fiveMinuteSeconds, repeat(5, 60)],
  [60, repeat(12, 5)],
  [5, repeat(5, 1)]
])

/** The maximum number of parts of an interval. */
export const maxParts = 24

/** Whole hours, and the rest at the end. */
const splitIntoHours = (seconds: number): ReadonlyArray<number> => {
  const remainder = seconds % hourSeconds
  return [...repeat((seconds - remainder) / hourSeconds, hourSeconds), ...(remainder > 0 ? [remainder] : [])]
}

/** All lengths above an hour: multiples of half an hour up to a day. */
const divisionsAboveAnHour = new Map(
  repeat(daySeconds / halfHourSeconds, halfHourSeconds)
    .map((_, i) => (i + 1) * halfHourSeconds)
    .filter((seconds) => seconds > hourSeconds)
    .map((seconds) => [seconds, splitIntoHours(seconds)] as const)
)

/** The lengths of an interval's parts, in order. Undefined at the last step. */
export const getPartLengths = (seconds: number): ReadonlyArray<number> | undefined =>
  divisionsUpToAnHour.get(seconds) ?? divisionsAboveAnHour.get(seconds)

/** A number below 64 for each length, for cache keys. */
const ranksByLength = new Map(
  [...divisionsUpToAnHour.keys(), ...divisionsAboveAnHour.keys()].map((seconds, i) => [seconds, i])
)
export const getRank = (seconds: number): number => ranksByLength.get(seconds) ?? ranksByLength.size
