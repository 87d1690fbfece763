import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getAveragesStart, iterateDays } from "./averages.ts"
import { CandleColumns, toColumns } from "./candleColumns.ts"
import { countRowsBetween } from "./dayCache/dayRows.ts"
import { toPayments } from "./funding.ts"
import { placeOnGrid } from "./grid.ts"
import { makeScoreSeries, mapOpenInterest, type ScoredMarket, scoreLayout, writeScoreRows } from "./score.ts"

/**
 * The input of the score job: the data of one coin by column. The job computes the scores of the hours that close in
 * `(from, to]`.
 */
const ScoreDays = Schema.Struct({
  candles: CandleColumns,
  perpetual: Schema.Struct({ time: Column, openInterest: Column }),
  funding: Schema.Struct({ time: Column, rate: Column, hours: Column }),
  from: Schema.Finite,
  to: Schema.Finite
})
type ScoreDays = typeof ScoreDays.Type

const ScoreRows = Schema.Struct({ values: Column })

export const makeScoreDaysInput = (
  { candles, fundingPayments, perpetual }: ScoredMarket,
  from: number,
  to: number
): ScoreDays => {
  const openInterest = [...mapOpenInterest(perpetual)]
  const payments = toPayments(fundingPayments)
  return {
    candles: toColumns(candles),
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

/**
 * Computes the scores of the requested hours. The averages of a UTC day always begin at `getAveragesStart`, so the
 * result does not depend on the requested hours.
 */
const computeScoreDays = ({ candles, from, funding, perpetual, to }: ScoreDays): typeof ScoreRows.Type => {
  const series = makeScoreSeries(
    placeOnGrid(candles, getAveragesStart(from + 1), to),
    new Map(Array.from(perpetual.time, (time, i) => [time, perpetual.openInterest[i]!])),
    Array.from(funding.time, (time, i) => ({ time, rate: funding.rate[i]!, hours: funding.hours[i]! }))
  )
  const values = new Float64Array(countRowsBetween(scoreLayout, from, to) * scoreLayout.width).fill(NaN)
  for (const day of iterateDays(from, to)) {
    const end = Math.min(to, day + dayMs)
    writeScoreRows(series, {
      since: getAveragesStart(end),
      from: Math.max(from, day),
      to: end,
      start: from,
      target: values
    })
  }
  return { values }
}

/** The job that computes a coin's hourly scores. The score job takes about 15 ms for 93 days of one coin. */
export const scoreDaysJob: Job<ScoreDays, typeof ScoreRows.Type> = {
  name: "score_days",
  input: ScoreDays,
  output: ScoreRows,
  run: computeScoreDays
}
