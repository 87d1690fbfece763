import type { Chart } from "@tapeline/core/charts"

/** The range of values of a chart axis, and the positions of the axis marks. */
export interface Scale {
  readonly min: number
  readonly max: number
  readonly step: number
  readonly ticks: ReadonlyArray<number>
}

/** Returns the smallest and the largest number, ignoring NaN, or null if there are no numbers. */
export const extent = (...columns: ReadonlyArray<Iterable<number>>): readonly [number, number] | null => {
  let [low, high] = [Infinity, -Infinity]
  for (const column of columns) {
    for (const value of column) {
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  return low <= high ? [low, high] : null
}

const roundSteps = [1, 2, 2.5, 5, 10]

/** Returns a round step, such as 25 or 50, that divides a span into about `count` parts. */
const getRoundStep = (span: number, count: number): number => {
  const rawStep = span / count
  const power = 10 ** Math.floor(Math.log10(rawStep))
  return power * (roundSteps.find((step) => step * power >= rawStep * 0.999) ?? 10)
}

/**
 * Returns the axis range of a chart, where `marginShare` is the margin on each side as a share of the range of values.
 */
export const makeScale = ([low, high]: readonly [number, number], count: number, marginShare = 0.06): Scale => {
  const size = Math.max(Math.abs(low), Math.abs(high))
  // If all values are equal, the axis extends 0.1 % beyond the values, or about 0.5 beyond zero.
  const span = high - low > size * 1e-9 ? high - low : size > 0 ? size * 0.002 : 1
  const middle = (low + high) / 2
  const half = Math.max(high - low, span) / 2 + span * marginShare
  const [min, max] = [middle - half, middle + half]
  const step = getRoundStep(max - min, count)
  const ticks: Array<number> = []
  for (let k = Math.ceil(min / step); k * step <= max && ticks.length < 50; k++) ticks.push(k * step)
  return { min, max, step, ticks }
}

export const getStepDecimals = (step: number): number => {
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))
  // A step of 2.5 times a power of ten needs one decimal more than the power.
  const scaled = step * 10 ** decimals
  return Math.min(18, Math.abs(scaled - Math.round(scaled)) > 1e-6 ? decimals + 1 : decimals)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface TimeTick {
  readonly bar: number
  readonly text: string
  /**
   * Whether the axis label is emphasised. In intraday charts, the first label of a day is emphasised; in other charts,
   * the first label of a month or year.
   */
  readonly isMajor: boolean
}

/**
 * Returns the rank of the time boundary between two bars, such as the beginning of a year. Bars with higher ranks are
 * labelled first; the rank -1 means no boundary.
 */
const rankBoundary = (time: number, previousTime: number): number => {
  const [now, then] = [new Date(time), new Date(previousTime)]
  if (now.getUTCFullYear() !== then.getUTCFullYear()) return 9
  if (now.getUTCMonth() !== then.getUTCMonth()) return 8
  if (Math.floor(time / dayMs) !== Math.floor(previousTime / dayMs)) {
    // Weeks begin on Monday, and 1970 began on a Thursday.
    return Math.floor((time / dayMs + 3) / 7) !== Math.floor((previousTime / dayMs + 3) / 7) ? 7 : 6
  }
  const sizes = [12, 6, 3, 1, 0.5, 0.25]
  const sizeIndex = sizes.findIndex((hours) => time % (hours * hourMs) === 0)
  return sizeIndex < 0 ? -1 : 5 - sizeIndex
}

const makeFormatter = (language: Chart["language"], options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options })
  return (time: number): string => format.format(time)
}

/**
 * Chooses the bars that the time axis labels, at least `minBarDistance` bars apart. If labels would overlap, a new year
 * has priority, then a new month, a new day, and a new hour. The beginnings of years, months, days and hours are in
 * UTC.
 */
export const makeTimeTicks = ({ language, stepMs, time }: Chart, minBarDistance: number): ReadonlyArray<TimeTick> => {
  const n = time.length
  const ranks = Array.from(time, (one, i) => rankBoundary(one, i === 0 ? one - stepMs : time[i - 1]!))
  const labelledBars: Array<number> = []
  const isFree = (bar: number): boolean => labelledBars.every((other) => Math.abs(other - bar) >= minBarDistance)
  for (let rank = 9; rank >= -1; rank--) {
    for (let i = 0; i < n; i++) if (ranks[i] === rank && isFree(i)) labelledBars.push(i)
    if (rank === 6 && stepMs >= dayMs) break
  }
  const formatYear = makeFormatter(language, { year: "numeric" })
  const formatMonth = makeFormatter(language, { month: "short" })
  const formatDay = makeFormatter(language, { month: "short", day: "numeric" })
  const formatHour = (one: number): string => new Date(one).toISOString().slice(11, 16)
  const getLabel = (bar: number): string => {
    const [rank, barTime] = [ranks[bar]!, time[bar]!]
    if (stepMs < dayMs) return rank >= 6 ? formatDay(barTime) : formatHour(barTime)
    return rank === 9 ? formatYear(barTime) : rank === 8 ? formatMonth(barTime) : formatDay(barTime)
  }
  return labelledBars.sort((a, b) => a - b).map((bar) => ({
    bar,
    text: getLabel(bar),
    isMajor: stepMs < dayMs ? ranks[bar]! >= 6 : ranks[bar]! >= 8
  }))
}
