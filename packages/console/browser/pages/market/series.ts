import type { Liquidations, Positioning } from "./queries.ts"

/** A value at a time, in ms since 1970. */
export interface Point {
  readonly at: number
  readonly value: number
}

type HourlyPoint = Positioning["points"][number]

/** The known values of the hours. An hour with an unknown value has no point. */
export const toPoints = (
  hours: Positioning["points"],
  valueOf: (hour: HourlyPoint) => number | null
): ReadonlyArray<Point> =>
  hours.flatMap((hour) => {
    const value = valueOf(hour)
    return value === null ? [] : [{ at: Date.parse(hour.time), value }]
  })

/** A funding rate converted to 8 hours, in percent. Funding intervals differ between venues and times. */
export const rate8h = ({ funding_interval_hours: hours, funding_rate_pct: rate }: HourlyPoint): number | null =>
  rate === null || hours === null || hours === 0 ? null : rate * 8 / hours

/** The bars of two kinds at one time: one upwards and one downwards. */
export interface Bar {
  readonly at: number
  readonly up: number
  readonly down: number
}

/** Positive values as bars upwards, negative ones as bars downwards. */
export const signedBars = (points: ReadonlyArray<Point>): ReadonlyArray<Bar> =>
  points.map(({ at, value }) => ({ at, up: Math.max(0, value), down: Math.max(0, -value) }))

/** Liquidations by hour, in USD: shorts, whose closing buys, upwards; longs, whose closing sells, downwards. */
export const liquidationBars = ({ by_hour }: Liquidations): ReadonlyArray<Bar> =>
  by_hour.map(({ long_usd, short_usd, time }) => ({ at: Date.parse(time), up: short_usd, down: long_usd }))

/** The zero line and the scale of bars in a plot of this height. Both kinds share one scale. */
export const barScale = (bars: ReadonlyArray<Bar>, height: number) => {
  const up = bars.reduce((max, bar) => Math.max(max, bar.up), 0)
  const down = bars.reduce((max, bar) => Math.max(max, bar.down), 0)
  const span = up + down || 1
  return { up, down, zero: height * up / span, size: (value: number) => height * value / span }
}

/** The relative position of a value in a range, from 0 to 1; 0.5 if the range has no width. */
export const relativePosition = (value: number, low: number, high: number): number =>
  high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5
