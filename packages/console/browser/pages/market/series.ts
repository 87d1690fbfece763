import type { Liquidations, Positioning } from "./asks.ts"

/** A value of an instant, in ms since 1970. */
export interface Point {
  readonly at: number
  readonly value: number
}

type Hour = Positioning["points"][number]

/** What is known of the hours; an hour of which it is not known has no point. */
export const pointsOf = (
  hours: Positioning["points"],
  of: (hour: Hour) => number | null
): ReadonlyArray<Point> =>
  hours.flatMap((hour) => {
    const value = of(hour)
    return value === null ? [] : [{ at: Date.parse(hour.time), value }]
  })

/** A funding rate as one of 8 hours, in percent: intervals differ by venue and time. */
export const rate8h = ({ funding_interval_hours: hours, funding_rate_pct: rate }: Hour): number | null =>
  rate === null || hours === null || hours === 0 ? null : rate * 8 / hours

/** Bars of two kinds at an instant: what goes up from the middle, and what goes down. */
export interface Bar {
  readonly at: number
  readonly up: number
  readonly down: number
}

/** Values with their sign as bars. */
export const signedBars = (points: ReadonlyArray<Point>): ReadonlyArray<Bar> =>
  points.map(({ at, value }) => ({ at, up: Math.max(0, value), down: Math.max(0, -value) }))

/** Liquidations by hour: shorts, whose closing buys, go up; longs, whose closing sells, go down. In USD. */
export const liquidationBars = ({ by_hour }: Liquidations): ReadonlyArray<Bar> =>
  by_hour.map(({ long_usd, short_usd, time }) => ({ at: Date.parse(time), up: short_usd, down: long_usd }))

/** Where bars stand in a plot of this height: from the middle that both kinds need, on one scale. */
export const barScale = (bars: ReadonlyArray<Bar>, height: number) => {
  const up = bars.reduce((most, bar) => Math.max(most, bar.up), 0)
  const down = bars.reduce((most, bar) => Math.max(most, bar.down), 0)
  const span = up + down || 1
  return { up, down, zero: height * up / span, size: (value: number) => height * value / span }
}

/** The share of the year that a position in a range is, 0 to 1; the middle of a range without width. */
export const placeIn = (value: number, low: number, high: number): number =>
  high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5
