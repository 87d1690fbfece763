import { Schema } from "effect"
import { at } from "../../engine/tool/argument.ts"
import { Instant, maybe, notes, quantity } from "../../engine/tool/result.ts"
import { level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, timeframe } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const lengths = ["15m", "1h", "4h", "1d"] as const

export const getIndicators = specify({
  name: "get_indicators",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary: "Indicators of a coin at its last closed candle: RSI, MACD, averages, Bollinger, ADX, ATR, stochastic.",
  parameters: Schema.Struct({ coin: CoinArgument, tf: timeframe(lengths, "1h"), at }),
  result: Schema.Struct({
    coin: Schema.String,
    tf: Schema.Literals(lengths),
    candle_time: Instant.annotate({ description: "Opening instant of the last closed candle, whose values these are" }),
    close: quantity("Close of that candle, USD"),
    rsi: maybe("Relative strength index (14, Wilder), 0 to 100", points),
    macd: Schema.Struct({
      line: maybe("EMA(12) - EMA(26), USD", level),
      signal: maybe("EMA(9) of the line, USD", level),
      histogram: maybe("Line - signal, USD")
    }),
    momentum_pct: maybe("Rate of change over 10 candles, percent", percent),
    range_position_pct: maybe(
      "Where the close lies between the lowest low (0) and the highest high (100) of 20 candles",
      percent
    ),
    ema: Schema.Struct({ "20": maybe("USD", level), "50": maybe("USD", level), "200": maybe("USD", level) }),
    bollinger: Schema.Struct({
      upper: maybe("Middle + 2 population standard deviations of 20 closes, USD", level),
      middle: maybe("SMA(20), USD", level),
      lower: maybe("Middle - 2 population standard deviations, USD", level),
      width_pct: maybe("(upper - lower) / middle, percent", percent),
      position_pct: maybe("(close - lower) / (upper - lower), percent; outside 0 to 100 beyond the bands", percent)
    }),
    adx: maybe("Average directional index (14), 0 to 100", points),
    plus_di: maybe("Directional indicator of rises (14)", points),
    minus_di: maybe("Directional indicator of falls (14)", points),
    atr: maybe("Average true range (14, Wilder), USD", level),
    atr_pct: maybe("Average true range over close, percent", percent),
    stochastic: Schema.Struct({
      k: maybe("Slow %K (14, 3), 0 to 100", points),
      d: maybe("SMA(3) of %K, 0 to 100", points)
    }),
    n: Schema.Int.annotate({
      description:
        "Closed candles that averages run over: of 1h from 600 hours before the UTC day on, as the score's do, of others the last 1,600"
    }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", tf: "4h" }
})
