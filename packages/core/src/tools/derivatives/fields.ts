import { Schema } from "effect"
import { Instant, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"

export const LiquidationRow = Schema.Struct({
  time: Instant,
  side: Schema.Literals(["long", "short"]).annotate({
    description: "The side of the liquidated position; a long is closed by selling"
  }),
  price: quantity("USD per coin"),
  size_usd: quantity("USD")
})

export const skewField = nullableQuantity(
  "(short_usd - long_usd) / (short_usd + long_usd), -1 to 1; above 0, more shorts were liquidated",
  fraction
)

export const coverageField = Schema.Literals(["whole", "sampled"]).annotate({
  description: "sampled: the venue reports only some liquidations, so sums are lower bounds"
})
