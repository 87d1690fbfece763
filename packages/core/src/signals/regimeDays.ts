import { Schema } from "effect"
import { Column, type Job } from "../compute/job.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { dayOfClose } from "./byHour.ts"
import { CandleColumns } from "./candleColumns.ts"
import { indexFrom, rowsOf } from "./columns.ts"
import { regimeNumbers, type RegimeTable, regimeTable, regimeWarmUpHours } from "./regime.ts"

/** BTC's candles and ETH's closes, and the hours wanted: those whose closes lie in `(from, to]`. */
const RegimeDays = Schema.Struct({
  btc: CandleColumns,
  eth: Schema.Struct({ time: Column, close: Column }),
  from: Schema.Finite,
  to: Schema.Finite
})
type RegimeDays = typeof RegimeDays.Type

const Table = Schema.Struct({
  time: Column,
  trendSpread: Column,
  adx: Column,
  volatility24h: Column,
  volatilityPercentile: Column,
  riskScore: Column,
  btcMove: Column,
  ethAgainstBtcMove: Column
})

/** Each UTC day looks `regimeWarmUpHours` back from its midnight, whatever hours of it are wanted. */
const regimeDays = ({ btc, eth, from, to }: RegimeDays): RegimeTable => {
  const days: Array<ReturnType<typeof regimeNumbers>> = []
  for (let day = dayOfClose(from + hourMs); day < to; day += dayMs) {
    const first = indexFrom(btc.time, day - regimeWarmUpHours * hourMs)
    const slice = rowsOf(btc, first, indexFrom(btc.time, Math.min(to, day + dayMs)))
    days.push(regimeNumbers(slice, eth, Math.max(from, day)))
  }
  return regimeTable(days.flat())
}

/** Tells regimes of days: some 50 ms for the 90 days that hit rates look at. */
export const regimeDaysJob: Job<RegimeDays, RegimeTable> = {
  name: "regime_days",
  input: RegimeDays,
  output: Table,
  run: regimeDays
}
