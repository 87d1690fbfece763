import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, timeframeArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const lengths = ["15m", "1h", "4h", "1d"] as const

export const getIndicators = specify({
  name: "get_indicators",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Indicators of a coin at its last closed candle: RSI, MACD, averages, Bollinger, ADX, ATR, stochastic.",
  parameters: Schema.Struct({ coin: CoinArgument, tf: timeframeArgument(lengths, "1h"), at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    tf: Schema.Literals(lengths),
    candle_time: Instant.annotate({
      description: "Opening instant of the last closed candle, to which these values belong"
    }),
    close: quantity("Close of this candle, USD"),
    rsi: nullableQuantity("Relative strength index (14, Wilder), 0 to 100", points),
    macd: Schema.Struct({
      line: nullableQuantity("EMA(12) - EMA(26), USD", level),
      signal: nullableQuantity("EMA(9) of the line, USD", level),
      histogram: nullableQuantity("Line - signal, USD")
    }),
    momentum_pct: nullableQuantity("Rate of change over 10 candles, percent", percent),
    range_position_pct: nullableQuantity(
      "Position of the close between the lowest low (0) and the highest high (100) of 20 candles",
      percent
    ),
    ema: Schema.Struct({
      "20": nullableQuantity("USD", level),
      "50": nullableQuantity("USD", level),
      "200": nullableQuantity("USD", level)
    }),
    bollinger: Schema.Struct({
      upper: nullableQuantity("Middle + 2 population standard deviations of 20 closes, USD", level),
      middle: nullableQuantity("SMA(20), USD", level),
      lower: nullableQuantity("Middle - 2 population standard deviations, USD", level),
      width_pct: nullableQuantity("(upper - lower) / middle, percent", percent),
      position_pct: nullableQuantity(
        "(close - lower) / (upper - lower), percent; below 0 or above 100 beyond the bands",
        percent
      )
    }),
    adx: nullableQuantity("Average directional index (14), 0 to 100", points),
    plus_di: nullableQuantity("Positive directional indicator (14)", points),
    minus_di: nullableQuantity("Negative directional indicator (14)", points),
    atr: nullableQuantity("Average true range (14, Wilder), USD", level),
    atr_pct: nullableQuantity("Average true range over close, percent", percent),
    stochastic: Schema.Struct({
      k: nullableQuantity("Slow %K (14, 3), 0 to 100", points),
      d: nullableQuantity("SMA(3) of %K, 0 to 100", points)
    }),
    n: Schema.Int.annotate({ description: "Closed candles from which averages are computed: at most the last 1,600" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", tf: "4h" }
})
