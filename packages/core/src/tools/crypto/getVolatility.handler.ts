import { ewmaVolatility, garmanKlass, parkinson, quantile, yangZhang } from "@tapeline/quant/volatility"
import { Clock, Effect } from "effect"
import { getGapAdjustedCloses, toColumns } from "../../analysis/signals/candleColumns.ts"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { makeNewestReadingCache } from "../../analysis/signals/dayCache/cachedReads.ts"
import { getDeviation, getLogReturns, minPresentShare, placeOnGrid } from "../../analysis/signals/grid.ts"
import { barsPerYear, measureVolatility, realisedHours } from "../../analysis/signals/volatility.ts"
import { barNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { finiteOrNull } from "../../engine/tool/result.ts"
import type { Candle } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { makeReading, sourcesOf } from "../../market/reading.ts"
import { dayMs, durationMs, hourMs } from "../../market/timeframe.ts"
import { getVolatility } from "./getVolatility.ts"

const windows = [
  { window: "7d", tf: "1h", returns: 168 },
  { window: "30d", tf: "1h", returns: realisedHours },
  { window: "90d", tf: "1d", returns: 90 }
] as const
type Window = (typeof windows)[number]

const yearDays = 365
/** The minimum number of windows from which quartiles are computed. */
const minWindows = 20

/** Returns the newest `returns` bars of a window, and one bar before them, whose close the first return needs. */
const selectBars = (bars: ClosedBars, { returns, tf }: Window): ClosedBars => {
  const oldest = bars.candles.at(-1)!.time - returns * durationMs[tf]
  return { ...bars, candles: bars.candles.filter(({ time }) => time >= oldest) }
}

/** Removes price moves inside gaps: each bar after a gap is scaled to open at the close before the gap. */
const joinGaps = (candles: ReadonlyArray<Candle>, stepMs: number) => {
  let factor = 1
  const scaled = candles.map(({ close, high, low, open, time }, i) => {
    const previous = candles[i - 1]
    if (previous !== undefined && time - previous.time !== stepMs) factor *= previous.close / open
    return { open: open * factor, high: high * factor, low: low * factor, close: close * factor }
  })
  const column = (of: (bar: typeof scaled[number]) => number) => Float64Array.from(scaled, of)
  return {
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close)
  }
}

const computeEstimates = (all: ClosedBars, requestedWindow: Window) => {
  const { returns, tf, window } = requestedWindow
  const bars = selectBars(all, requestedWindow)
  const perYear = barsPerYear(tf)
  const closes = getGapAdjustedCloses(bars.candles, durationMs[tf])
  const moves = Math.max(0, closes.length - 1)
  const adjustedBars = joinGaps(bars.candles, durationMs[tf])
  const ownCandles = bars.candles.slice(1)
  const ownBars = joinGaps(ownCandles, durationMs[tf])
  const toRow = (volatility: number | null, n: number) => ({
    window,
    tf,
    annualised_pct: volatility === null || n < minPresentShare * returns ? null : finiteOrNull(100 * volatility),
    n
  })
  const measured = measureVolatility(bars, returns)
  return {
    closeToClose: { window, tf, annualised_pct: measured.pct, n: measured.n },
    parkinson: toRow(parkinson(ownBars.high, ownBars.low, perYear), ownCandles.length),
    garmanKlass: toRow(garmanKlass(ownBars, perYear), ownCandles.length),
    yangZhang: toRow(yangZhang(adjustedBars, perYear), ownCandles.length),
    ewma: toRow(ewmaVolatility(closes, perYear, 2 ** (-7 / returns)).at(-1) ?? null, moves)
  }
}

/**
 * Ranks the volatility of the newest window among earlier windows of equal length. Each earlier window ends a multiple
 * of 24 hours before the newest window.
 */
const computeCone = ({ candles }: ClosedBars, { returns: length, tf, window }: Window) => {
  const step = durationMs[tf]
  const last = candles.at(-1)!
  const grid = placeOnGrid(toColumns(candles), candles[0]!.time, last.time + step, step)
  const returns = getLogReturns(grid.close)
  const scale = 100 * Math.sqrt(barsPerYear(tf))
  const sample: Array<number> = []
  for (let row = grid.close.length - 1; row >= length; row -= dayMs / step) {
    const deviation = getDeviation(returns, row, length)
    if (!Number.isNaN(deviation)) sample.push(scale * deviation)
  }
  const current = finiteOrNull(scale * getDeviation(returns, grid.close.length - 1, length))
  const isSufficient = sample.length >= minWindows
  const quantileAt = (q: number): number | null => isSufficient ? quantile(sample, q) : null
  return {
    window,
    tf,
    min: quantileAt(0),
    p25: quantileAt(0.25),
    median: quantileAt(0.5),
    p75: quantileAt(0.75),
    max: quantileAt(1),
    current,
    percentile: isSufficient && current !== null
      ? (100 * sample.filter((value) => value < current).length) / sample.length
      : null,
    n: sample.length
  }
}

const measure = Effect.fnUntraced(function*(prices: CoinPrices["Service"], coin: string) {
  const hours = yield* readClosedBars(prices, coin, "1h", yearDays * 24 + 1)
  const days = yield* Effect.catchTag(
    readClosedBars(prices, coin, "1d", yearDays + 1),
    "NoData",
    () => Effect.succeed({ ...hours, tf: "1d" as const, candles: hours.candles.slice(-1) })
  )
  const barsFor = ({ tf }: Window): ClosedBars => tf === "1h" ? hours : days
  const { delistedAt, end, isLate } = hours
  const measured = {
    estimates: windows.map((window) => computeEstimates(barsFor(window), window)),
    cone: windows.map((window) => computeCone(barsFor(window), window)),
    delistedAt: delistedAt,
    end,
    isLate: isLate
  }
  return makeReading(measured, sourcesOf([hours, days]), end)
})

const monthIndex = windows.findIndex(({ window }) => window === "30d")

export const handler = handlerOf(
  getVolatility,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    // The volatilities need a year of hourly candles, so they are cached until the next hour.
    const cachedNewest = makeNewestReadingCache<Effect.Success<ReturnType<typeof measure>>["value"], MarketError>()
    const readRecord = (coin: string) =>
      Effect.map(prices.watermarks([coin]), ({ sources, value }) => {
        const record = value.get(coin)
        return { until: record?.contiguousUntil ?? -Infinity, revision: record?.revision ?? "", sources }
      })
    return Effect.fnUntraced(function*({ coin }) {
      const hour = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const sourceReading = yield* cachedNewest(coin, hour, readRecord(coin), measure(prices, coin))
      const { cone, estimates } = sourceReading.value
      const notes = [...barNotes(coin, sourceReading.value)]
      const incompleteEstimates = estimates.filter(({ closeToClose }) => closeToClose.annualised_pct === null)
      if (incompleteEstimates.length > 0) {
        notes.push(
          `Null because less than two thirds of the window is recorded: ${
            incompleteEstimates.map(({ closeToClose }) => closeToClose.window).join(", ")
          }.`
        )
      }
      if (cone.some(({ n }) => n < minWindows)) {
        notes.push(`The cone is null for window lengths with fewer than ${minWindows} recorded windows.`)
      }
      return {
        coin,
        realised_30d_pct: estimates[monthIndex]!.closeToClose.annualised_pct,
        realised_30d_percentile: cone[monthIndex]!.percentile,
        close_to_close: estimates.map(({ closeToClose }) => closeToClose),
        parkinson: estimates.map((one) => one.parkinson),
        garman_klass: estimates.map(({ garmanKlass }) => garmanKlass),
        yang_zhang: estimates.map(({ yangZhang }) => yangZhang),
        ewma: estimates.map(({ ewma }) => ewma),
        cone,
        notes,
        ...provenanceOf(sourceReading)
      }
    })
  })
)
