import type { Liquidations, Positioning } from "./queries.ts"

/** A value of a time series, at a time in ms since 1970. */
export interface Point {
  readonly at: number
  readonly value: number
}

type HourlyPoint = Positioning["points"][number]

export const toPoints = (
  hours: Positioning["points"],
  valueOf: (hour: HourlyPoint) => number | null
): ReadonlyArray<Point> =>
  hours.flatMap((hour) => {
    const value = valueOf(hour)
    return value === null ? [] : [{ at: Date.parse(hour.time), value }]
  })

/** Returns the funding rate of an hour converted to 8 hours, in percent. The funding intervals of venues differ. */
export const rate8h = ({ funding_interval_hours: hours, funding_rate_pct: rate }: HourlyPoint): number | null =>
  rate === null || hours === null || hours === 0 ? null : rate * 8 / hours

export interface Bar {
  readonly at: number
  readonly up: number
  readonly down: number
}

export const signedBars = (points: ReadonlyArray<Point>): ReadonlyArray<Bar> =>
  points.map(({ at, value }) => ({ at, up: Math.max(0, value), down: Math.max(0, -value) }))

/**
 * Returns the hourly liquidations in USD as bars. Liquidated short positions point upwards, and liquidated long
 * positions point downwards.
 */
export const liquidationBars = ({ by_hour }: Liquidations): ReadonlyArray<Bar> =>
  by_hour.map(({ long_usd, short_usd, time }) => ({ at: Date.parse(time), up: short_usd, down: long_usd }))

/**
 * Returns the scale of a bar plot. `zero` is the position of the zero line, and `size` converts a value to the length
 * of a bar.
 */
export const barScale = (bars: ReadonlyArray<Bar>, height: number) => {
  const up = bars.reduce((max, bar) => Math.max(max, bar.up), 0)
  const down = bars.reduce((max, bar) => Math.max(max, bar.down), 0)
  const span = up + down || 1
  return { up, down, zero: height * up / span, size: (value: number) => height * value / span }
}

/** Returns the relative position of a value in a range, from 0 to 1; 0.5 if the range has no width. */
export const relativePosition = (value: number, low: number, high: number): number =>
  high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5
