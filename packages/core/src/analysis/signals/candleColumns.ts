import { Schema } from "effect"
import { Column } from "../../engine/compute/job.ts"

/** `Columns` of candles as the input of a job. */
export const CandleColumns = Schema.Struct({
  time: Column,
  open: Column,
  high: Column,
  low: Column,
  close: Column,
  volume: Column,
  takerBuyVolume: Column
})
