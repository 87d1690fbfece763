import { ewmaVolatility, garmanKlass, parkinson, quantile, yangZhang } from "@tapeline/quant/volatility"
import { Clock, Effect } from "effect"
import { type ClosedBars, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { closesWithoutHoles, columnsOf } from "../../analysis/signals/columns.ts"
import { deviationOf, layOnGrid, leastShare, returnsOf } from "../../analysis/signals/grid.ts"
import { rememberNewest } from "../../analysis/signals/remembered/rememberNewest.ts"
import { barsPerYear, measureVolatility, realisedHours } from "../../analysis/signals/volatility.ts"
import { barNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { finiteOrNull } from "../../engine/tool/result.ts"
import type { Candle } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { reading, sourcesOf } from "../../market/reading.ts"
import { dayMs, durationMs, hourMs } from "../../market/timeframe.ts"
import { getVolatility } from "./getVolatility.ts"

const windows = [
  { window: "7d", tf: "1h", returns: 168 },
  { window: "30d", tf: "1h", returns: realisedHours },
  { window: "90d", tf: "1d", returns: 90 }
] as const
type Window = (typeof windows)[number]

const yearDays = 365
/** The minimum number of windows for quartiles. */
const leastWindows = 20

/** Returns the newest `returns` bars of a window, and the bar before them for its close. */
const barsWithin = (bars: ClosedBars, { returns, tf }: Window): ClosedBars => {
  const oldest = bars.candles.at(-1)!.time - returns * durationMs[tf]
  return { ...bars, candles: bars.candles.filter(({ time }) => time >= oldest) }
}

/** Removes the moves inside gaps. Each bar after a gap is scaled to open at the close of the bar before the gap. */
const joined = (candles: ReadonlyArray<Candle>, stepMs: number) => {
  let factor = 1
  const scaled = candles.map(({ close, high, low, open, time }, i) => {
    const before = candles[i - 1]
    if (before !== undefined && time - before.time !== stepMs) factor *= before.close / open
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

/** Computes the five estimates of one window. */
const estimatesOf = (all: ClosedBars, asked: Window) => {
  const { returns, tf, window } = asked
  const bars = barsWithin(all, asked)
  const perYear = barsPerYear(tf)
  const closes = closesWithoutHoles(bars.candles, durationMs[tf])
  const moves = Math.max(0, closes.length - 1)
  const whole = joined(bars.candles, durationMs[tf])
  const own = bars.candles.slice(1)
  const within = joined(own, durationMs[tf])
  const row = (volatility: number | null, n: number) => ({
    window,
    tf,
    annualised_pct: volatility === null || n < leastShare * returns ? null : finiteOrNull(100 * volatility),
    n
  })
  const measured = measureVolatility(bars, returns)
  return {
    closeToClose: { window, tf, annualised_pct: measured.pct, n: measured.n },
    parkinson: row(parkinson(within.high, within.low, perYear), own.length),
    garmanKlass: row(garmanKlass(within, perYear), own.length),
    yangZhang: row(yangZhang(whole, perYear), own.length),
    ewma: row(ewmaVolatility(closes, perYear, 2 ** (-7 / returns)).at(-1) ?? null, moves)
  }
}

/** Ranks the newest window among the windows that ended one day earlier, two days earlier, and so on. */
const coneOf = ({ candles }: ClosedBars, { returns: length, tf, window }: Window) => {
  const step = durationMs[tf]
  const last = candles.at(-1)!
  const grid = layOnGrid(columnsOf(candles), candles[0]!.time, last.time + step, step)
  const returns = returnsOf(grid.close)
  const scale = 100 * Math.sqrt(barsPerYear(tf))
  const sample: Array<number> = []
  for (let row = grid.close.length - 1; row >= length; row -= dayMs / step) {
    const deviation = deviationOf(returns, row, length)
    if (!Number.isNaN(deviation)) sample.push(scale * deviation)
  }
  const current = finiteOrNull(scale * deviationOf(returns, grid.close.length - 1, length))
  const told = sample.length >= leastWindows
  const at = (q: number): number | null => told ? quantile(sample, q) : null
  return {
    window,
    tf,
    min: at(0),
    p25: at(0.25),
    median: at(0.5),
    p75: at(0.75),
    max: at(1),
    current,
    percentile: told && current !== null
      ? (100 * sample.filter((one) => one < current).length) / sample.length
      : null,
    n: sample.length
  }
}

/** Computes the volatility of a coin at an hour. */
const measure = Effect.fnUntraced(function*(prices: CoinPrices["Service"], coin: string) {
  const hours = yield* readClosedBars(prices, coin, "1h", yearDays * 24 + 1)
  const days = yield* Effect.catchTag(
    readClosedBars(prices, coin, "1d", yearDays + 1),
    "NoData",
    () => Effect.succeed({ ...hours, tf: "1d" as const, candles: hours.candles.slice(-1) })
  )
  const barsOf = ({ tf }: Window): ClosedBars => tf === "1h" ? hours : days
  const { diedAt, end, late } = hours
  const measured = {
    estimates: windows.map((one) => estimatesOf(barsOf(one), one)),
    cone: windows.map((one) => coneOf(barsOf(one), one)),
    diedAt,
    end,
    late
  }
  return reading(measured, sourcesOf([hours, days]), end)
})

const month = windows.findIndex(({ window }) => window === "30d")

export const handler = handlerOf(
  getVolatility,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    // A year of hourly candles is read once per hour.
    const newest = rememberNewest<Effect.Success<ReturnType<typeof measure>>["value"], MarketError>()
    const recordOf = (coin: string) =>
      Effect.map(prices.recorded([coin]), ({ sources, value }) => {
        const found = value.get(coin)
        return { until: found?.contiguousUntil ?? -Infinity, revision: found?.revision ?? "", sources }
      })
    return Effect.fnUntraced(function*({ coin }) {
      const hour = Math.floor((yield* Clock.currentTimeMillis) / hourMs) * hourMs
      const read = yield* newest(coin, hour, recordOf(coin), measure(prices, coin))
      const { cone, estimates } = read.value
      const notes = [...barNotes(coin, read.value)]
      const short = estimates.filter(({ closeToClose }) => closeToClose.annualised_pct === null)
      if (short.length > 0) {
        notes.push(
          `Less than two thirds of the window is recorded, so null: ${
            short.map(({ closeToClose }) => closeToClose.window).join(", ")
          }.`
        )
      }
      if (cone.some(({ n }) => n < leastWindows)) {
        notes.push(`The cone is null where fewer than ${leastWindows} windows are recorded.`)
      }
      return {
        coin,
        realised_30d_pct: estimates[month]!.closeToClose.annualised_pct,
        realised_30d_percentile: cone[month]!.percentile,
        close_to_close: estimates.map(({ closeToClose }) => closeToClose),
        parkinson: estimates.map((one) => one.parkinson),
        garman_klass: estimates.map(({ garmanKlass }) => garmanKlass),
        yang_zhang: estimates.map(({ yangZhang }) => yangZhang),
        ewma: estimates.map(({ ewma }) => ewma),
        cone,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
