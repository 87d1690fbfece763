import { Schema } from "effect"
import { asOfArgument, hoursArgument } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getVolumeProfile = specify({
  name: "get_volume_profile",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  summary:
    "Volume by price of a coin: point of control, value area. Swings: get_levels; resting orders: get_orderbook.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    hours: Schema.Int,
    tf: Schema.Literals(["5m", "15m", "1h"]).annotate({
      description: "Candles that it is made of, the running one included; each one's volume is spread over its range"
    }),
    from: Instant.annotate({ description: "Opening instant of the first candle" }),
    price: quantity("USD, newest"),
    poc: nullableQuantity("Point of control: middle of the bin with the most volume, USD", level),
    value_area: Schema.NullOr(Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      volume_pct: quantity("Its share of the volume, 70 % or more, percent", percent)
    })).annotate({ description: "Bins around the point of control that hold 70 % of the volume" }),
    volume: quantity("Of all bins, which is that of the candles, coins"),
    bins: Schema.Array(Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      volume: quantity("Coins")
    })).annotate({ description: "Of equal width, lowest first" }),
    n: Schema.Int.annotate({ description: "Candles" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
