import { Column } from "@tapeline/core/engine"
import type { Candle, LiquidationTape, PerpetualPoint, SocialActivity, TakerFlow } from "@tapeline/core/market"
import { Schema } from "effect"
import { column, known } from "./column.ts"

// Series in columns. Threads exchange a column as a copy of memory, not object by object. NaN means null.

export const CandleTable = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  quoteVolume: Column,
  takerBuyVolume: Column,
  /** 1 for true, 0 for false. */
  closed: Column
})

export const candleTable = (candles: ReadonlyArray<Candle>): typeof CandleTable.Type => ({
  time: column(candles, ({ time }) => time),
  open: column(candles, ({ open }) => open),
  high: column(candles, ({ high }) => high),
  low: column(candles, ({ low }) => low),
  close: column(candles, ({ close }) => close),
  volume: column(candles, ({ volume }) => volume),
  quoteVolume: column(candles, ({ quoteVolume }) => quoteVolume),
  takerBuyVolume: column(candles, ({ takerBuyVolume }) => takerBuyVolume),
  closed: column(candles, ({ closed }) => closed ? 1 : 0)
})

export const candlesOf = (table: typeof CandleTable.Type): ReadonlyArray<Candle> =>
  Array.from(table.time, (time, i) => ({
    time,
    open: table.open[i]!,
    high: table.high[i]!,
    low: table.low[i]!,
    close: table.close[i]!,
    volume: table.volume[i]!,
    quoteVolume: table.quoteVolume[i]!,
    takerBuyVolume: known(table.takerBuyVolume[i]),
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

export const perpetualTable = (points: ReadonlyArray<PerpetualPoint>): typeof PerpetualTable.Type => ({
  time: column(points, ({ time }) => time),
  fundingRate: column(points, ({ fundingRate }) => fundingRate),
  fundingIntervalHours: column(points, ({ fundingIntervalHours }) => fundingIntervalHours),
  openInterest: column(points, ({ openInterest }) => openInterest),
  openInterestUsd: column(points, ({ openInterestUsd }) => openInterestUsd),
  longShortRatio: column(points, ({ longShortRatio }) => longShortRatio),
  markPrice: column(points, ({ markPrice }) => markPrice),
  indexPrice: column(points, ({ indexPrice }) => indexPrice)
})

export const perpetualOf = (table: typeof PerpetualTable.Type): ReadonlyArray<PerpetualPoint> =>
  Array.from(table.time, (time, i) => ({
    time,
    fundingRate: known(table.fundingRate[i]),
    fundingIntervalHours: known(table.fundingIntervalHours[i]),
    openInterest: known(table.openInterest[i]),
    openInterestUsd: known(table.openInterestUsd[i]),
    longShortRatio: known(table.longShortRatio[i]),
    markPrice: known(table.markPrice[i]),
    indexPrice: known(table.indexPrice[i])
  }))

export const TakerTable = Schema.Struct({ time: Column, buyUsd: Column, sellUsd: Column })

export const takerTable = (buckets: ReadonlyArray<TakerFlow>): typeof TakerTable.Type => ({
  time: column(buckets, ({ time }) => time),
  buyUsd: column(buckets, ({ buyUsd }) => buyUsd),
  sellUsd: column(buckets, ({ sellUsd }) => sellUsd)
})

export const takersOf = ({ buyUsd, sellUsd, time }: typeof TakerTable.Type): ReadonlyArray<TakerFlow> =>
  Array.from(time, (time, i) => ({ time, buyUsd: buyUsd[i]!, sellUsd: sellUsd[i]! }))

/** A tape without gaps. */
export const TapeTable = Schema.Struct({
  events: Schema.Struct({
    time: Column,
    /** 1 for true, 0 for false. */
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

export const tapeTable = ({ events, gaps: _, steps, ...tape }: LiquidationTape): typeof TapeTable.Type => ({
  ...tape,
  events: {
    time: column(events, ({ time }) => time),
    isLong: column(events, ({ side }) => side === "long" ? 1 : 0),
    price: column(events, ({ price }) => price),
    sizeUsd: column(events, ({ sizeUsd }) => sizeUsd)
  },
  steps: {
    time: column(steps, ({ time }) => time),
    longUsd: column(steps, ({ longUsd }) => longUsd),
    shortUsd: column(steps, ({ shortUsd }) => shortUsd),
    count: column(steps, ({ count }) => count)
  }
})

export const tapeOf = ({ events, steps, ...tape }: typeof TapeTable.Type): LiquidationTape => ({
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

export const socialTable = (buckets: ReadonlyArray<SocialActivity>): typeof SocialTable.Type => ({
  time: column(buckets, ({ time }) => time),
  mentions: column(buckets, ({ mentions }) => mentions),
  authors: column(buckets, ({ authors }) => authors),
  sentiment: column(buckets, ({ sentiment }) => sentiment)
})

export const socialOf = (table: typeof SocialTable.Type): ReadonlyArray<SocialActivity> =>
  Array.from(table.time, (time, i) => ({
    time,
    mentions: table.mentions[i]!,
    authors: table.authors[i]!,
    sentiment: known(table.sentiment[i])
  }))
