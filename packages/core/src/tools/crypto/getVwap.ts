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
  summary: "Volume-weighted average price of a coin since the UTC day, week or month began, with bands.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    anchor: withDefault(Schema.Literals(vwapAnchors), "day"),
    at: asOfArgument
  }),
  result: Schema.Struct({
    coin: Schema.String,
    anchor: Schema.Literals(vwapAnchors),
    anchored_at: Instant.annotate({ description: "00:00 UTC of the day, of the week's Monday, of the month's first" }),
    tf: Schema.Literals(["5m", "15m", "1h"]).annotate({
      description: "Candles that it is summed over, by (high + low + close) / 3, the running one included"
    }),
    price: quantity("USD, newest"),
    vwap: quantity("USD", level),
    sd: quantity("Volume-weighted standard deviation of those prices about it, USD", level),
    bands: Schema.Array(Schema.Struct({
      sd: Schema.Int.annotate({ description: "Standard deviations" }),
      upper: quantity("USD"),
      lower: quantity("USD")
    })),
    distance_pct: quantity("Price over VWAP less 1, percent", percent),
    distance_sd: nullableQuantity("The same in standard deviations; null where there is none", fraction),
    volume: quantity("Traded since the anchor, coins"),
    n: Schema.Int.annotate({ description: "Candles" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
