import { Schema } from "effect"
import { Column, type Job } from "../compute/job.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { dayOfClose } from "./byHour.ts"
import { CandleColumns } from "./candleColumns.ts"
import { columnsOf, indexFrom, rowsOf } from "./columns.ts"
import { emptyTable, type ScoredMarket, scoreRows, type ScoreTable, warmUpHours } from "./score.ts"

/** What one coin's scores stand on, by column, and the hours wanted: those whose closes lie in `(from, to]`. */
const ScoreDays = Schema.Struct({
  candles: CandleColumns,
  perpetual: Schema.Struct({ time: Column, openInterest: Column }),
  funding: Schema.Struct({ time: Column, fundingRate: Column }),
  from: Schema.Finite,
  to: Schema.Finite
})
type ScoreDays = typeof ScoreDays.Type

const Table = Schema.Struct({ time: Column, atr: Column, score: Column, coverage: Column, factors: Column })

/** The job's input of a coin's series. */
export const scoreDaysOf = (
  { candles, derivatives, fundingPrints }: ScoredMarket,
  from: number,
  to: number
): ScoreDays => ({
  candles: columnsOf(candles),
  perpetual: {
    time: Float64Array.from(derivatives, ({ time }) => time),
    openInterest: Float64Array.from(derivatives, ({ openInterest }) => openInterest)
  },
  funding: {
    time: Float64Array.from(fundingPrints, ({ time }) => time),
    fundingRate: Float64Array.from(fundingPrints, ({ fundingRate }) => fundingRate)
  },
  from,
  to
})

/** The averages of each UTC day start `warmUpHours` before its midnight, whatever hours of it are wanted. */
const scoreDays = ({ candles, from, funding, perpetual, to }: ScoreDays): ScoreTable => {
  const openInterest = new Map(Array.from(perpetual.time, (time, i) => [time, perpetual.openInterest[i]!]))
  const fundingPrints = Array.from(funding.time, (time, i) => ({ time, fundingRate: funding.fundingRate[i]! }))
  const table = emptyTable(indexFrom(candles.time, to) - indexFrom(candles.time, from))
  let row = 0
  for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
    const end = indexFrom(candles.time, Math.min(to, day + dayMs))
    const slice = rowsOf(candles, indexFrom(candles.time, day - warmUpHours * hourMs), end)
    const first = indexFrom(slice.time, Math.max(from, day))
    scoreRows({ candles: slice, openInterest, fundingPrints }, first, table, row)
    row += slice.time.length - first
  }
  return table
}

/** Scores days of a coin's hours: some 15 ms for the 93 days that hit rates look at, and that for each coin. */
export const scoreDaysJob: Job<ScoreDays, ScoreTable> = {
  name: "score_days",
  input: ScoreDays,
  output: Table,
  run: scoreDays
}
