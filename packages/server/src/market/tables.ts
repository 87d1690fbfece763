import { Column } from "@tapeline/core/engine"
import type { Candle, LiquidationTape, PerpetualPoint, SocialActivity, TakerFlow } from "@tapeline/core/market"
import { Schema } from "effect"

/** Converts rows to a column of numbers. Null becomes NaN. */
export const toColumn = <Row>(rows: ReadonlyArray<Row>, valueOf: (row: Row) => number | null): Float64Array =>
  Float64Array.from(rows, (row) => valueOf(row) ?? NaN)

/** Returns a number from a column, or null for NaN and undefined. */
export const numberOrNull = (x: number | undefined): number | null => x === undefined || Number.isNaN(x) ? null : x

// The tables of this file store series in columns, so that threads copy one block of memory instead of many objects.
// NaN means null.

export const CandleTable = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  quoteVolume: Column,
  takerBuyVolume: Column,
  /** A column in which 1 means a closed candle and 0 means an open candle. */
  closed: Column
})

export const toCandleTable = (candles: ReadonlyArray<Candle>): typeof CandleTable.Type => ({
  time: toColumn(candles, ({ time }) => time),
  open: toColumn(candles, ({ open }) => open),
  high: toColumn(candles, ({ high }) => high),
  low: toColumn(candles, ({ low }) => low),
  close: toColumn(candles, ({ close }) => close),
  volume: toColumn(candles, ({ volume }) => volume),
  quoteVolume: toColumn(candles, ({ quoteVolume }) => quoteVolume),
  takerBuyVolume: toColumn(candles, ({ takerBuyVolume }) => takerBuyVolume),
  closed: toColumn(candles, ({ closed }) => closed ? 1 : 0)
})

export const fromCandleTable = (table: typeof CandleTable.Type): ReadonlyArray<Candle> =>
  Array.from(table.time, (time, i) => ({
    time,
    open: table.open[i]!,
    high: table.high[i]!,
    low: table.low[i]!,
    close: table.close[i]!,
    volume: table.volume[i]!,
    quoteVolume: table.quoteVolume[i]!,
    takerBuyVolume: numberOrNull(table.takerBuyVolume[i]),
    closed: table.closed[i] === 1
  }))

export const PerpetualTable = Schema.Struct({
  time: Column,
  fundingRate: Column,
  fundingIntervalHours: Column,
  openInterest: Column,
  openInterestUsd: Column,
  longShortRatio: Column,
  markPrice: Column,
  indexPrice: Column
})

export const toPerpetualTable = (points: ReadonlyArray<PerpetualPoint>): typeof PerpetualTable.Type => ({
  time: toColumn(points, ({ time }) => time),
  fundingRate: toColumn(points, ({ fundingRate }) => fundingRate),
  fundingIntervalHours: toColumn(points, ({ fundingIntervalHours }) => fundingIntervalHours),
  openInterest: toColumn(points, ({ openInterest }) => openInterest),
  openInterestUsd: toColumn(points, ({ openInterestUsd }) => openInterestUsd),
  longShortRatio: toColumn(points, ({ longShortRatio }) => longShortRatio),
  markPrice: toColumn(points, ({ markPrice }) => markPrice),
  indexPrice: toColumn(points, ({ indexPrice }) => indexPrice)
})

export const fromPerpetualTable = (table: typeof PerpetualTable.Type): ReadonlyArray<PerpetualPoint> =>
  Array.from(table.time, (time, i) => ({
    time,
    fundingRate: numberOrNull(table.fundingRate[i]),
    fundingIntervalHours: numberOrNull(table.fundingIntervalHours[i]),
    openInterest: numberOrNull(table.openInterest[i]),
    openInterestUsd: numberOrNull(table.openInterestUsd[i]),
    longShortRatio: numberOrNull(table.longShortRatio[i]),
    markPrice: numberOrNull(table.markPrice[i]),
    indexPrice: numberOrNull(table.indexPrice[i])
  }))

export const TakerTable = Schema.Struct({ time: Column, buyUsd: Column, sellUsd: Column })

export const toTakerTable = (buckets: ReadonlyArray<TakerFlow>): typeof TakerTable.Type => ({
  time: toColumn(buckets, ({ time }) => time),
  buyUsd: toColumn(buckets, ({ buyUsd }) => buyUsd),
  sellUsd: toColumn(buckets, ({ sellUsd }) => sellUsd)
})

export const fromTakerTable = ({ buyUsd, sellUsd, time }: typeof TakerTable.Type): ReadonlyArray<TakerFlow> =>
  Array.from(time, (time, i) => ({ time, buyUsd: buyUsd[i]!, sellUsd: sellUsd[i]! }))

/** The liquidations of an interval, as a table of columns. An interval in the table form has no gaps. */
export const LiquidationTapeTable = Schema.Struct({
  events: Schema.Struct({
    time: Column,
    /** A column in which 1 means a liquidated long position and 0 means a liquidated short position. */
    isLong: Column,
    price: Column,
    sizeUsd: Column
  }),
  steps: Schema.Struct({ time: Column, longUsd: Column, shortUsd: Column, count: Column }),
  longUsd: Schema.Finite,
  shortUsd: Schema.Finite,
  count: Schema.Finite,
  truncated: Schema.Boolean,
  coverage: Schema.Literals(["whole", "sampled"])
})

export const toLiquidationTapeTable = (
  { events, gaps: _, steps, ...tape }: LiquidationTape
): typeof LiquidationTapeTable.Type => ({
  ...tape,
  events: {
    time: toColumn(events, ({ time }) => time),
    isLong: toColumn(events, ({ side }) => side === "long" ? 1 : 0),
    price: toColumn(events, ({ price }) => price),
    sizeUsd: toColumn(events, ({ sizeUsd }) => sizeUsd)
  },
  steps: {
    time: toColumn(steps, ({ time }) => time),
    longUsd: toColumn(steps, ({ longUsd }) => longUsd),
    shortUsd: toColumn(steps, ({ shortUsd }) => shortUsd),
    count: toColumn(steps, ({ count }) => count)
  }
})

export const fromLiquidationTapeTable = (
  { events, steps, ...tape }: typeof LiquidationTapeTable.Type
): LiquidationTape => ({
  ...tape,
  events: Array.from(events.time, (time, i) => ({
    time,
    side: events.isLong[i] === 1 ? "long" : "short",
    price: events.price[i]!,
    sizeUsd: events.sizeUsd[i]!
  })),
  steps: Array.from(steps.time, (time, i) => ({
    time,
    longUsd: steps.longUsd[i]!,
    shortUsd: steps.shortUsd[i]!,
    count: steps.count[i]!
  })),
  gaps: []
})

export const SocialTable = Schema.Struct({
  time: Column,
  mentions: Column,
  authors: Column,
  sentiment: Column
})

export const toSocialTable = (buckets: ReadonlyArray<SocialActivity>): typeof SocialTable.Type => ({
  time: toColumn(buckets, ({ time }) => time),
  mentions: toColumn(buckets, ({ mentions }) => mentions),
  authors: toColumn(buckets, ({ authors }) => authors),
  sentiment: toColumn(buckets, ({ sentiment }) => sentiment)
})

export const fromSocialTable = (table: typeof SocialTable.Type): ReadonlyArray<SocialActivity> =>
  Array.from(table.time, (time, i) => ({
    time,
    mentions: table.mentions[i]!,
    authors: table.authors[i]!,
    sentiment: numberOrNull(table.sentiment[i])
  }))
