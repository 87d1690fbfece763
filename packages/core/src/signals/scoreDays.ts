import { Schema } from "effect"
import { Column, type Job } from "../compute/job.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { dayOfClose } from "./byHour.ts"
import { CandleColumns } from "./candleColumns.ts"
import { columnsOf, indexFrom, rowsOf } from "./columns.ts"
import { paymentsOf } from "./funding.ts"
import { emptyTable, openInterestOf, type ScoredMarket, scoreRows, type ScoreTable, warmUpHours } from "./score.ts"

/** What one coin's scores stand on, by column, and the hours wanted: those whose closes lie in `(from, to]`. */
const ScoreDays = Schema.Struct({
  candles: CandleColumns,
  perpetual: Schema.Struct({ time: Column, openInterest: Column }),
  funding: Schema.Struct({ time: Column, rate: Column, hours: Column }),
  from: Schema.Finite,
  to: Schema.Finite
})
type ScoreDays = typeof ScoreDays.Type

const Table = Schema.Struct({ time: Column, atr: Column, score: Column, coverage: Column, factors: Column })

/** The job's input of a coin's series. */
export const scoreDaysOf = (
  { candles, fundingPrints, perpetual }: ScoredMarket,
  from: number,
  to: number
): ScoreDays => {
  const openInterest = [...openInterestOf(perpetual)]
  const payments = paymentsOf(fundingPrints)
  return {
    candles: columnsOf(candles),
    perpetual: {
      time: Float64Array.from(openInterest, ([time]) => time),
      openInterest: Float64Array.from(openInterest, ([, coins]) => coins)
    },
    funding: {
      time: Float64Array.from(payments, ({ time }) => time),
      rate: Float64Array.from(payments, ({ rate }) => rate),
      hours: Float64Array.from(payments, ({ hours }) => hours)
    },
    from,
    to
  }
}

/** The averages of each UTC day start `warmUpHours` before its midnight, whatever hours of it are wanted. */
const scoreDays = ({ candles, from, funding, perpetual, to }: ScoreDays): ScoreTable => {
  const openInterest = new Map(Array.from(perpetual.time, (time, i) => [time, perpetual.openInterest[i]!]))
  const payments = Array.from(funding.time, (time, i) => ({ time, rate: funding.rate[i]!, hours: funding.hours[i]! }))
  const table = emptyTable(indexFrom(candles.time, to) - indexFrom(candles.time, from))
  let row = 0
  for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
    const end = indexFrom(candles.time, Math.min(to, day + dayMs))
    const slice = rowsOf(candles, indexFrom(candles.time, day - warmUpHours * hourMs), end)
    const first = indexFrom(slice.time, Math.max(from, day))
    scoreRows({ candles: slice, openInterest, payments }, first, table, row)
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
