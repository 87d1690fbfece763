/**
 * Defines the lengths of the parts into which each time interval is divided, from a day to one second. Each interval
 * has many parts, because a part that contains the high or the low correlates less with other instruments.
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

export const maxParts = 24

/** Splits an interval into whole hours and a remainder at the end. */
const splitIntoHours = (seconds: number): ReadonlyArray<number> => {
  const remainder = seconds % hourSeconds
  return [...repeat((seconds - remainder) / hourSeconds, hourSeconds), ...(remainder > 0 ? [remainder] : [])]
}

/** The lengths of the parts of intervals longer than an hour, by interval length in seconds. */
const divisionsAboveAnHour = new Map(
  repeat(daySeconds / halfHourSeconds, halfHourSeconds)
    .map((_, i) => (i + 1) * halfHourSeconds)
    .filter((seconds) => seconds > hourSeconds)
    .map((seconds) => [seconds, splitIntoHours(seconds)] as const)
)

/** Returns the lengths of an interval's parts in order, or undefined if the interval has no parts. */
export const getPartLengths = (seconds: number): ReadonlyArray<number> | undefined =>
  divisionsUpToAnHour.get(seconds) ?? divisionsAboveAnHour.get(seconds)

/** A unique number below 64 for each interval length. */
const ranksByLength = new Map(
  [...divisionsUpToAnHour.keys(), ...divisionsAboveAnHour.keys()].map((seconds, i) => [seconds, i])
)
export const getRank = (seconds: number): number => ranksByLength.get(seconds) ?? ranksByLength.size
