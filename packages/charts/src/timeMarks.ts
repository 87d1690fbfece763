import type { Chart } from "@tapeline/core/charts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A bar with a label on the time axis. */
export interface TimeMark {
  readonly bar: number
  readonly text: string
  /** Whether the label is emphasised: a new day in intraday charts, and a new month or year in others. */
  readonly strong: boolean
}

/** Ranks the boundary between a bar and the bar before. Larger ranks are labelled first; -1 means no boundary. */
const weightOf = (time: number, before: number): number => {
  const [now, then] = [new Date(time), new Date(before)]
  if (now.getUTCFullYear() !== then.getUTCFullYear()) return 9
  if (now.getUTCMonth() !== then.getUTCMonth()) return 8
  if (Math.floor(time / dayMs) !== Math.floor(before / dayMs)) {
    // Weeks begin on Monday; 1970 began on a Thursday.
    return Math.floor((time / dayMs + 3) / 7) !== Math.floor((before / dayMs + 3) / 7) ? 7 : 6
  }
  const sizes = [12, 6, 3, 1, 0.5, 0.25]
  const found = sizes.findIndex((hours) => time % (hours * hourMs) === 0)
  return found < 0 ? -1 : 5 - found
}

const written = (language: Chart["language"], options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options })
  return (time: number): string => format.format(time)
}

/**
 * Chooses the bars that the time axis labels, in UTC: years before months before days before hours. Labels are at least
 * `apart` bars from each other.
 */
export const timeMarks = ({ language, stepMs, time }: Chart, apart: number): ReadonlyArray<TimeMark> => {
  const n = time.length
  const weights = Array.from(time, (one, i) => weightOf(one, i === 0 ? one - stepMs : time[i - 1]!))
  const taken: Array<number> = []
  const isFree = (bar: number): boolean => taken.every((other) => Math.abs(other - bar) >= apart)
  for (let weight = 9; weight >= -1; weight--) {
    for (let i = 0; i < n; i++) if (weights[i] === weight && isFree(i)) taken.push(i)
    if (weight === 6 && stepMs >= dayMs) break
  }
  const year = written(language, { year: "numeric" })
  const month = written(language, { month: "short" })
  const day = written(language, { month: "short", day: "numeric" })
  const hour = (one: number): string => new Date(one).toISOString().slice(11, 16)
  const textOf = (bar: number): string => {
    const [weight, one] = [weights[bar]!, time[bar]!]
    if (stepMs < dayMs) return weight >= 6 ? day(one) : hour(one)
    return weight === 9 ? year(one) : weight === 8 ? month(one) : day(one)
  }
  return taken.sort((a, b) => a - b).map((bar) => ({
    bar,
    text: textOf(bar),
    strong: stepMs < dayMs ? weights[bar]! >= 6 : weights[bar]! >= 8
  }))
}
