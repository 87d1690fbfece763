import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { averagesFrom, daysOf } from "./averages.ts"
import { CandleColumns } from "./candleColumns.ts"
import { layOnGrid } from "./grid.ts"
import { regimeLayout, regimeRows, regimeSeries, regimeWarmUpHours } from "./regime.ts"
import { dayOf, rowsBetween } from "./remembered/dayRows.ts"

/** The candles of BTC and ETH, and the requested hours: those that close in `(from, to]`. */
const RegimeDays = Schema.Struct({ btc: CandleColumns, eth: CandleColumns, from: Schema.Finite, to: Schema.Finite })
type RegimeDays = typeof RegimeDays.Type

/** Rows in `regimeLayout`. */
const RegimeRows = Schema.Struct({ values: Column })

/** Returns the opening time of the first candle that the hours which close after `from` use. */
export const regimesFrom = (from: number): number => dayOf(from + 1) - regimeWarmUpHours * hourMs

/** Computes regimes. The averages of each UTC day begin at `averagesFrom`, whatever hours are requested. */
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

/** The job that computes regimes of days. The 90 days of hit rates take about 50 ms. */
export const regimeDaysJob: Job<RegimeDays, typeof RegimeRows.Type> = {
  name: "regime_days",
  input: RegimeDays,
  output: RegimeRows,
  run: regimeDays
}
