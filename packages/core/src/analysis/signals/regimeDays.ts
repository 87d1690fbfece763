import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"
import { getAveragesStart, iterateDays } from "./averages.ts"
import { CandleColumns } from "./candleColumns.ts"
import { countRowsBetween, getDayOf } from "./dayCache/dayRows.ts"
import { placeOnGrid } from "./grid.ts"
import { makeRegimeSeries, regimeLayout, regimeWarmUpHours, writeRegimeRows } from "./regime.ts"

/** The input of the regime job: the candles of BTC and ETH. The job computes the hours that close in `(from, to]`. */
const RegimeDays = Schema.Struct({ btc: CandleColumns, eth: CandleColumns, from: Schema.Finite, to: Schema.Finite })
type RegimeDays = typeof RegimeDays.Type

const RegimeRows = Schema.Struct({ values: Column })

/** Returns the opening time of the first candle that is needed for the regimes after `from`. */
export const getRegimesStart = (from: number): number => getDayOf(from + 1) - regimeWarmUpHours * hourMs

/**
 * Computes the regimes of the requested hours. The averages of a UTC day always begin at `getAveragesStart`, so the
 * result does not depend on the requested hours.
 */
const computeRegimeDays = ({ btc, eth, from, to }: RegimeDays): typeof RegimeRows.Type => {
  const first = getRegimesStart(from)
  const series = makeRegimeSeries(placeOnGrid(btc, first, to), placeOnGrid(eth, first, to))
  const values = new Float64Array(countRowsBetween(regimeLayout, from, to) * regimeLayout.width).fill(NaN)
  for (const day of iterateDays(from, to)) {
    const end = Math.min(to, day + dayMs)
    writeRegimeRows(series, {
      since: getAveragesStart(end),
      from: Math.max(from, day),
      to: end,
      start: from,
      target: values
    })
  }
  return { values }
}

/** The job that computes hourly regimes. The regime job takes about 50 ms for 90 days. */
export const regimeDaysJob: Job<RegimeDays, typeof RegimeRows.Type> = {
  name: "regime_days",
  input: RegimeDays,
  output: RegimeRows,
  run: computeRegimeDays
}
