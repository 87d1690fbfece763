import { vwapBands } from "@tapeline/quant/indicators"
import { Clock, Effect } from "effect"
import type { Chart, ChartOverlay } from "../../analysis/charts/chart.ts"
import { minListedUsd, tapeNotes } from "../../analysis/derivatives/liquidations.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { getSessionStart, vwapTimeframe } from "../../analysis/signals/sessionVwap.ts"
import type { VwapAnchor } from "../../analysis/signals/vocabulary.ts"
import type { Candle } from "../../market/candle.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Reading } from "../../market/reading.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"
import { makeIndicatorSeries, type TimedValues } from "../crypto/indicators.ts"
import { findLevelRows } from "../crypto/levelRows.ts"
import type { ChartBars } from "./chartBars.ts"

/** The overlays that are drawn over the candles of a chart. */
export type OverlayData = Pick<Chart, "lines" | "bands" | "levels" | "liquidations"> & {
  readonly notes: ReadonlyArray<string>
  readonly readings: ReadonlyArray<Reading<unknown>>
}
type Line = Chart["lines"][number]
type OverlayPart = Partial<Omit<OverlayData, "lines">> & { readonly line?: Line }

/** Returns an indicator's values for the shown bars of a chart, with NaN for a bar without a value. */
export const toShownBars = ({ barIndexAt, shownCandles }: ChartBars, { times, values }: TimedValues): Float64Array => {
  const result = new Float64Array(shownCandles.length).fill(NaN)
  for (let i = 0; i < times.length; i++) {
    const bar = barIndexAt(times[i]!)
    if (bar !== undefined && bar < result.length) result[bar] = values[i]!
  }
  return result
}

/** Converts the error `NoData` of an overlay to a note. */
export const noDataToNote = <A>(overlay: Effect.Effect<A, MarketError>, label: string) =>
  Effect.catchTag(overlay, "NoData", () => Effect.succeed({ notes: [`${label}: not recorded, so it is omitted.`] }))

const readAverage = (bars: ChartBars, n: 20 | 50 | 200): Effect.Effect<OverlayPart, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const values = toShownBars(bars, makeIndicatorSeries(closed).ema(n))
    const first = values.findIndex((value) => !Number.isNaN(value))
    return {
      line: { name: `ema${n}` as const, values, restartBars: [] },
      notes: first < 0
        ? [`EMA ${n} needs ${n} closed candles; only ${closed.candles.length} exist.`]
        : first > 0
        ? [`EMA ${n} begins at bar ${first + 1}: it is computed from the last ${closed.candles.length} closed candles.`]
        : []
    }
  })

const readBands = (bars: ChartBars): Effect.Effect<OverlayPart, MarketError> =>
  Effect.map(bars.closed, (closed) => {
    const { lower, middle, upper } = makeIndicatorSeries(closed).bollinger()
    return {
      bands: { upper: toShownBars(bars, upper), middle: toShownBars(bars, middle), lower: toShownBars(bars, lower) }
    }
  })

const maxLevels = 4

const readLevels = (bars: ChartBars): Effect.Effect<OverlayPart, MarketError> =>
  Effect.map(bars.closedForLevels, (closed) => {
    const { atr, resistances, supports } = findLevelRows(closed)
    const rows = (side: typeof supports, kind: "support" | "resistance") =>
      side.slice(0, maxLevels).map(({ price, touches }) => ({ kind, price, touches }))
    return {
      levels: [...rows(supports, "support"), ...rows(resistances, "resistance")],
      notes: atr === null ? ["Too few closed candles for levels."] : []
    }
  })

/** The period after which the VWAP of a chart restarts, by the timeframe of the chart. */
const vwapAnchors: Readonly<Record<Timeframe, VwapAnchor>> = {
  "5m": "day",
  "15m": "day",
  "1h": "day",
  "4h": "week",
  "1d": "month"
}
/**
 * The maximum number of candles from which a chart's VWAP is computed. The chart shows no VWAP for sessions before
 * these candles.
 */
const maxFineCandles = 3_000

const readVwap = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  bars: ChartBars,
  coin: string
): Effect.fn.Return<OverlayPart, MarketError> {
  const { shownCandles, tf } = bars
  const anchor = vwapAnchors[tf]
  const timeframe = vwapTimeframe[anchor]
  const to = (yield* Clock.currentTimeMillis) + 1
  const firstSessionStart = getSessionStart(anchor, shownCandles[0]!.time)
  const earliest = to - maxFineCandles * durationMs[timeframe]
  // A session is drawn completely or not at all, except that the running session is always drawn.
  const from = firstSessionStart >= earliest ? firstSessionStart : getSessionStart(anchor, to - 1) < earliest
    ? getSessionStart(anchor, to - 1)
    : nextSession(anchor, earliest)
  const reading = yield* orEmptyList(prices.candleRange({ coin, timeframe, from, to }))
  const { value: fineCandles } = reading
  if (fineCandles.length === 0) return { notes: ["VWAP: not recorded, so it is omitted."] }
  const column = (valueOf: (candle: Candle) => number) => Float64Array.from(fineCandles, valueOf)
  const { vwap } = vwapBands(
    column(({ high }) => high),
    column(({ low }) => low),
    column(({ close }) => close),
    column(({ volume }) => volume),
    1,
    column(({ time }) => getSessionStart(anchor, time))
  )
  const values = new Float64Array(shownCandles.length).fill(NaN)
  let k = -1
  for (const [i, { time }] of shownCandles.entries()) {
    while (k + 1 < fineCandles.length && fineCandles[k + 1]!.time < time + durationMs[tf]) k++
    if (k >= 0 && fineCandles[k]!.time >= time) values[i] = vwap[k]!
  }
  return {
    line: {
      name: "vwap",
      values,
      restartBars: [...shownCandles.keys()].filter((i) =>
        i > 0 && getSessionStart(anchor, shownCandles[i]!.time) !== getSessionStart(anchor, shownCandles[i - 1]!.time)
      )
    },
    readings: [reading],
    notes: [
      `VWAP restarts every UTC ${anchor}.`,
      ...firstSessionStart < from ? ["VWAP of the earliest sessions is omitted."] : []
    ]
  }
})

const nextSession = (anchor: VwapAnchor, time: number): number => {
  const start = getSessionStart(anchor, time)
  // The added time is longer than one session and shorter than two, so the sum is in the next session.
  return getSessionStart(anchor, start + (anchor === "month" ? 31.5 : anchor === "week" ? 7.5 : 1.5) * durationMs["1d"])
}

const maxLiquidations = 40

const readLiquidations = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  { shownCandles, tf }: ChartBars,
  coin: string
): Effect.fn.Return<OverlayPart, MarketError> {
  const to = yield* Clock.currentTimeMillis
  const reading = yield* derivatives.liquidations({
    coin,
    from: shownCandles[0]!.time,
    to,
    minSizeUsd: minListedUsd,
    limit: 1_000
  })
  const { count, events, truncated } = reading.value
  const liquidationsInBars = events.flatMap(({ price, side, sizeUsd, time }) => {
    const bar = shownCandles.findLastIndex((candle) => candle.time <= time)
    return bar >= 0 && time < shownCandles[bar]!.time + durationMs[tf] ? [{ bar, price, side, sizeUsd }] : []
  })
  const largest = liquidationsInBars.toSorted((a, b) => b.sizeUsd - a.sizeUsd).slice(0, maxLiquidations)
  return {
    liquidations: largest,
    readings: [reading],
    notes: [
      `The ${largest.length} largest of ${count} liquidations from 10,000 USD are drawn${
        truncated ? `, of the newest ${events.length}` : ""
      }.`,
      ...tapeNotes(reading.value)
    ]
  }
})

export const readOverlays = Effect.fnUntraced(function*(
  ports: { readonly prices: CoinPrices["Service"]; readonly derivatives: CoinDerivatives["Service"] },
  bars: ChartBars,
  requested: ReadonlySet<ChartOverlay>
): Effect.fn.Return<OverlayData, MarketError> {
  const { coin } = bars
  const ifCoin = (
    read: (coin: string) => Effect.Effect<OverlayPart, MarketError>
  ): Effect.Effect<OverlayPart, MarketError> => coin === null ? Effect.succeed({}) : read(coin)
  const parts: Readonly<Record<ChartOverlay, Effect.Effect<OverlayPart, MarketError>>> = {
    ema20: noDataToNote(readAverage(bars, 20), "EMA 20"),
    ema50: noDataToNote(readAverage(bars, 50), "EMA 50"),
    ema200: noDataToNote(readAverage(bars, 200), "EMA 200"),
    bollinger: noDataToNote(readBands(bars), "Bollinger"),
    vwap: ifCoin((coin) => readVwap(ports.prices, bars, coin)),
    levels: noDataToNote(readLevels(bars), "Levels"),
    liquidations: noDataToNote(ifCoin((coin) => readLiquidations(ports.derivatives, bars, coin)), "Liquidations")
  }
  const overlays = yield* Effect.forEach(requested, (name) => parts[name], { concurrency: 4 })
  return {
    lines: overlays.flatMap(({ line }) => line === undefined ? [] : [line]),
    bands: overlays.find(({ bands }) => bands !== undefined)?.bands ?? null,
    levels: overlays.flatMap(({ levels = [] }) => levels),
    liquidations: overlays.flatMap(({ liquidations = [] }) => liquidations),
    notes: overlays.flatMap(({ notes = [] }) => notes),
    readings: overlays.flatMap(({ readings = [] }) => readings)
  }
})
