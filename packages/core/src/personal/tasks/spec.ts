import { Schema } from "effect"

/** The market of a symbol. Coins and shares may have the same ticker. */
export const WatchedMarket = Schema.Literals(["coin", "us", "kr"])
export type WatchedMarket = typeof WatchedMarket.Type

/**
 * The comparison of a value with a level. `cross_above` is true if a minute closed above the level, and the previous
 * known value was not above it. `cross_below` is the reverse.
 */
export const WatchOp = Schema.Literals(["gt", "gte", "lt", "lte", "cross_above", "cross_below"])
export type WatchOp = typeof WatchOp.Type

/**
 * A stored condition. The symbol is listed in its market and spelled as the market spells it. The market is always
 * present. Levels of `price` are in the instrument's own currency; levels of `score` are scores of get_score; levels of
 * `gap` are percent. `vwap_cross` compares with get_vwap of the UTC day. `gap` is an absolute move of at least `value`
 * percent within 60 minutes. The symbol `*` means every coin that trades.
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

/**
 * A time of day `HH:MM` at an offset from UTC, or an interval, counted from the creation or last restart of the task.
 */
export const ScheduleSpec = Schema.Union([
  Schema.Struct({
    at: Schema.String.annotate({ description: "Time of day, HH:MM" }),
    tz_offset_hours: Schema.Finite.annotate({ description: "Hours that this time of day is ahead of UTC" })
  }),
  Schema.Struct({ every_min: Schema.Int.annotate({ description: "Minutes" }) })
])
export type ScheduleSpec = typeof ScheduleSpec.Type
