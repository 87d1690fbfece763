import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getPriceAt = specify({
  name: "get_price_at",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Price of a coin some minutes ago, up to 30 days, and its change until now.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    minutes_ago: withDefault(integerBetween(0, 43_200), 60)
  }),
  result: Schema.Struct({
    coin: Schema.String,
    minutes_ago: Schema.Int,
    time: Instant.annotate({ description: "The time of `price`" }),
    price: quantity("USD at `time`"),
    price_now: nullableQuantity(
      "USD at `as_of`; null if there is no current price, and `as_of` is then the time of `price`"
    ),
    change_pct: nullableQuantity("From `price` to `price_now`, percent; null without `price_now`", percent),
    notes,
    ...provenance
  }),
  example: { coin: "BTC", minutes_ago: 90 }
})
