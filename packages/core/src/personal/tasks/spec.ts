import { Schema } from "effect"

/** Where a symbol is looked for: tickers of coins and of shares collide. */
export const WatchedMarket = Schema.Literals(["coin", "us", "kr"])
export type WatchedMarket = typeof WatchedMarket.Type

/**
 * How a value is held against a level. `cross_above` is true of a minute that closed above the level while the last one
 * before it that had a value did not; `cross_below` likewise.
 */
export const WatchOp = Schema.Literals(["gt", "gte", "lt", "lte", "cross_above", "cross_below"])
export type WatchOp = typeof WatchOp.Type

/**
 * A condition as a task keeps it: its symbol is one that its market lists, in the market's own writing, and the market
 * is always said. Levels of `price` are in the instrument's own currency, of `score` what get_score gives, of `gap`
 * percent. `vwap_cross` is against get_vwap of the UTC day; `gap` is an absolute move of at least `value` percent
 * within 60 minutes; `*` is every coin that trades.
 */
export const WatchSpec = Schema.Union([
  Schema.Struct({
    metric: Schema.Literal("price"),
    market: WatchedMarket,
    symbol: Schema.String,
    op: WatchOp,
    value: Schema.Finite.annotate({ description: "Price in the instrument's own currency" })
  }),
  Schema.Struct({
    metric: Schema.Literal("vwap_cross"),
    market: WatchedMarket,
    symbol: Schema.String,
    dir: Schema.Literals(["above", "below"])
  }),
  Schema.Struct({
    metric: Schema.Literal("gap"),
    market: WatchedMarket,
    symbol: Schema.String,
    value: Schema.Finite.annotate({ description: "Size of the move within 60 minutes, percent" })
  }),
  Schema.Struct({
    metric: Schema.Literal("score"),
    market: Schema.Literal("coin"),
    symbol: Schema.String,
    op: WatchOp,
    value: Schema.Finite.annotate({ description: "Score as of get_score, -100 to 100" })
  })
])
export type WatchSpec = typeof WatchSpec.Type

/** A time of day `HH:MM` at an offset from UTC, or an interval, counted from when the task was made or changed. */
export const ScheduleSpec = Schema.Union([
  Schema.Struct({
    at: Schema.String.annotate({ description: "Time of day, HH:MM" }),
    tz_offset_hours: Schema.Finite.annotate({ description: "Hours that this time of day is ahead of UTC" })
  }),
  Schema.Struct({ every_min: Schema.Int.annotate({ description: "Minutes" }) })
])
export type ScheduleSpec = typeof ScheduleSpec.Type
