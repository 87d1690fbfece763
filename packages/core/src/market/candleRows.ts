import { Schema } from "effect"
import { Instant, instant, quantity } from "../engine/tool/result.ts"
import type { Candle } from "./candle.ts"

/** A candle of a coin in results. */
export const CandleRow = Schema.Struct({
  time: Instant.annotate({ description: "Opening instant" }),
  open: quantity("USD"),
  high: quantity("USD"),
  low: quantity("USD"),
  close: quantity("USD"),
  volume: quantity("Traded amount, coins"),
  closed: Schema.optionalKey(Schema.Literal(false)).annotate({
    description:
      "Only on the last candle while its interval still runs: its close is the newest price, the rest may grow"
  })
})

/** Converts candles for results. `closed` is only present, and false, for an open candle. */
export const candleRows = (candles: ReadonlyArray<Candle>) =>
  candles.map(({ close, closed, high, low, open, time, volume }) => ({
    time: instant(time),
    open,
    high,
    low,
    close,
    volume,
    ...(closed ? {} : { closed: false as const })
  }))
