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
  pure: true,
  summary:
    "Volume by price of a coin: point of control, value area. Swings: get_levels; resting orders: get_orderbook.",
  parameters: Schema.Struct({ coin: CoinArgument, hours: hoursArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    hours: Schema.Int,
    tf: Schema.Literals(["5m", "15m", "1h"]).annotate({
      description: "Number of candles, including the open candle. The volume of a candle is spread over its range"
    }),
    from: Instant.annotate({ description: "Opening instant of the first candle" }),
    price: quantity("USD, newest"),
    poc: nullableQuantity("Point of control: middle of the bin with the most volume, USD", level),
    value_area: Schema.NullOr(Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      volume_pct: quantity("Share of the value area in the volume, at least 70 percent", percent)
    })).annotate({ description: "Value area: the bins around the point of control that contain 70 % of the volume" }),
    volume: quantity("Volume of all bins, which equals the volume of the candles, coins"),
    bins: Schema.Array(Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      volume: quantity("Coins")
    })).annotate({ description: "Bins of equal width, lowest first" }),
    n: Schema.Int.annotate({ description: "Candles" }),
    notes,
    ...provenance
  }),
  example: { coin: "BTC" }
})
