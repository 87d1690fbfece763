import { Column } from "@tapeline/core/compute"
import type { Candle, DerivativesPoint, SocialActivity } from "@tapeline/core/market"
import { Schema } from "effect"

// Series by column: as they cross between threads, in a copy of memory and not object by object.

const column = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number): Float64Array => Float64Array.from(rows, of)

export const CandleTable = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  quoteVolume: Column,
  takerBuyVolume: Column,
  /** 1 or 0. */
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
    takerBuyVolume: table.takerBuyVolume[i]!,
    closed: table.closed[i] === 1
  }))

export const PerpetualTable = Schema.Struct({
  time: Column,
  fundingRate: Column,
  openInterest: Column,
  openInterestUsd: Column,
  takerBuyUsd: Column,
  takerSellUsd: Column,
  longShortRatio: Column,
  markPrice: Column,
  indexPrice: Column
})

export const perpetualTable = (points: ReadonlyArray<DerivativesPoint>): typeof PerpetualTable.Type => ({
  time: column(points, ({ time }) => time),
  fundingRate: column(points, ({ fundingRate }) => fundingRate),
  openInterest: column(points, ({ openInterest }) => openInterest),
  openInterestUsd: column(points, ({ openInterestUsd }) => openInterestUsd),
  takerBuyUsd: column(points, ({ takerBuyUsd }) => takerBuyUsd),
  takerSellUsd: column(points, ({ takerSellUsd }) => takerSellUsd),
  longShortRatio: column(points, ({ longShortRatio }) => longShortRatio),
  markPrice: column(points, ({ markPrice }) => markPrice),
  indexPrice: column(points, ({ indexPrice }) => indexPrice)
})

export const perpetualOf = (table: typeof PerpetualTable.Type): ReadonlyArray<DerivativesPoint> =>
  Array.from(table.time, (time, i) => ({
    time,
    fundingRate: table.fundingRate[i]!,
    openInterest: table.openInterest[i]!,
    openInterestUsd: table.openInterestUsd[i]!,
    takerBuyUsd: table.takerBuyUsd[i]!,
    takerSellUsd: table.takerSellUsd[i]!,
    longShortRatio: table.longShortRatio[i]!,
    markPrice: table.markPrice[i]!,
    indexPrice: table.indexPrice[i]!
  }))

export const SocialTable = Schema.Struct({
  time: Column,
  mentions: Column,
  authors: Column,
  /** NaN where nobody posted. */
  sentiment: Column
})

export const socialTable = (buckets: ReadonlyArray<SocialActivity>): typeof SocialTable.Type => ({
  time: column(buckets, ({ time }) => time),
  mentions: column(buckets, ({ mentions }) => mentions),
  authors: column(buckets, ({ authors }) => authors),
  sentiment: column(buckets, ({ sentiment }) => sentiment ?? NaN)
})

export const socialOf = (table: typeof SocialTable.Type): ReadonlyArray<SocialActivity> =>
  Array.from(table.time, (time, i) => {
    const sentiment = table.sentiment[i]!
    return {
      time,
      mentions: table.mentions[i]!,
      authors: table.authors[i]!,
      sentiment: Number.isNaN(sentiment) ? null : sentiment
    }
  })
