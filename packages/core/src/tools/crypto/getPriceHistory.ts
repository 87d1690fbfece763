import { Schema } from "effect"
import { asOfArgument, barsArgument } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, timeframeArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { CandleRow } from "../../market/resultRows.ts"
import { timeframes } from "../../market/timeframe.ts"

export const getPriceHistory = specify({
  name: "get_price_history",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Candles of a coin, oldest first; the last may be open. Indicators: get_indicators.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    tf: timeframeArgument(timeframes, "1h"),
    bars: barsArgument,
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    tf: Schema.Literals(timeframes),
    candles: Schema.Array(CandleRow),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", tf: "1h", bars: 24 }
})
