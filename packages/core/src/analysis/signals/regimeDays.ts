import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { averagesFrom, daysOf } from "./averages.ts"
import { CandleColumns } from "./candleColumns.ts"
import { layOnGrid } from "./grid.ts"
import { regimeLayout, regimeRows, regimeSeries, regimeWarmUpHours } from "./regime.ts"
import { dayOf, rowsBetween } from "./remembered/dayRows.ts"

/** Candles of BTC and ETH, and the hours wanted: those whose closes lie in `(from, to]`. */
const RegimeDays = Schema.Struct({ btc: CandleColumns, eth: CandleColumns, from: Schema.Finite, to: Schema.Finite })
type RegimeDays = typeof RegimeDays.Type

/** Rows by `regimeLayout`. */
const RegimeRows = Schema.Struct({ values: Column })

/** Opening instant of the first candle that the hours which close after `from` look at. */
export const regimesFrom = (from: number): number => dayOf(from + 1) - regimeWarmUpHours * hourMs

/** The averages of each UTC day begin where `averagesFrom` says, whatever hours of it are wanted. */
const regimeDays = ({ btc, eth, from, to }: RegimeDays): typeof RegimeRows.Type => {
  const first = regimesFrom(from)
  const series = regimeSeries(layOnGrid(btc, first, to), layOnGrid(eth, first, to))
  const values = new Float64Array(rowsBetween(regimeLayout, from, to) * regimeLayout.width).fill(NaN)
  for (const day of daysOf(from, to)) {
    const end = Math.min(to, day + dayMs)
    regimeRows(series, { since: averagesFrom(end), from: Math.max(from, day), to: end, start: from, target: values })
  }
  return { values }
}

/** Tells regimes of days: some 50 ms for the 90 days that hit rates look at. */
export const regimeDaysJob: Job<RegimeDays, typeof RegimeRows.Type> = {
  name: "regime_days",
  input: RegimeDays,
  output: RegimeRows,
  run: regimeDays
}
