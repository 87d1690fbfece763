import { Schema } from "effect"
import { vwapAnchors } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getVwap = specify({
  name: "get_vwap",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Volume-weighted average price of a coin since the UTC day, week or month began, with bands.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    anchor: withDefault(Schema.Literals(vwapAnchors), "day"),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    anchor: Schema.Literals(vwapAnchors),
    anchored_at: Instant.annotate({ description: "00:00 UTC of the day, of Monday, or of the first of the month" }),
    tf: Schema.Literals(["5m", "15m", "1h"]).annotate({
      description: "Number of candles, including the open candle; each has the price (high + low + close) / 3"
    }),
    price: quantity("USD, newest"),
    vwap: quantity("USD", level),
    sd: quantity("Volume-weighted standard deviation of these prices around VWAP, USD", level),
    bands: Schema.Array(Schema.Struct({
      sd: Schema.Int.annotate({ description: "Standard deviations" }),
      upper: quantity("USD"),
      lower: quantity("USD")
    })),
    distance_pct: quantity("price / VWAP - 1, percent", percent),
    distance_sd: nullableQuantity("Distance from VWAP in standard deviations; null if the deviation is 0", fraction),
    volume: quantity("Volume since the anchor, coins"),
    n: Schema.Int.annotate({ description: "Candles" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
