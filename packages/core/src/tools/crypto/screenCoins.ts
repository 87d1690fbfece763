import { Schema } from "effect"
import { optional, topArgument } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity } from "../../engine/tool/result.ts"
import { fraction, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"

export const screenFields = [
  "price",
  "change_24h_pct",
  "volume_24h_usd",
  "rsi",
  "score",
  "funding_rate_pct",
  "oi_change_24h_coin_pct",
  "atr_pct",
  "range_position_pct"
] as const
export type ScreenField = (typeof screenFields)[number]

const fieldSchemas = {
  price: nullableQuantity("Same as in get_price, USD"),
  change_24h_pct: nullableQuantity("Same as in get_price, percent", percent),
  volume_24h_usd: nullableQuantity("Same as in get_price, USD"),
  rsi: nullableQuantity("Same as in get_indicators on 1h", points),
  score: nullableQuantity("Same as in get_score", points),
  funding_rate_pct: nullableQuantity("Same as in get_derivatives, for the current interval, percent", fraction),
  oi_change_24h_coin_pct: nullableQuantity("Same as in get_derivatives, percent", percent),
  atr_pct: nullableQuantity("Same as in get_indicators on 1h, percent", percent),
  range_position_pct: nullableQuantity("Same as in get_indicators on 1h", percent)
} satisfies Record<ScreenField, unknown>

const MissingCount = Schema.optionalKey(Schema.Int.annotate({ description: "Coins without this value" }))
const Field = Schema.Literals(screenFields).annotate({ identifier: "ScreenField" })

export const screenCoins = specify({
  name: "screen_coins",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Coins that meet all conditions now, sorted; indicators use 1h candles.",
  parameters: Schema.Struct({
    filters: Schema.Array(Schema.Struct({
      field: Field,
      op: Schema.Literals(["gt", "gte", "lt", "lte"]),
      value: Schema.Finite
    })).check(
      Schema.isMinLength(1, {
        expected: "at least 1 item",
        expectedMessage: { key: "expected_items", params: { minimum: 1 } }
      }),
      Schema.isMaxLength(8)
    ),
    sort: optional(
      Schema.Struct({ field: Field, order: Schema.Literals(["asc", "desc"]) }).annotate({
        description: "Default: largest first"
      })
    ),
    top: topArgument
  }),
  result: Schema.Struct({
    matches: Schema.Array(Schema.Struct({
      coin: Schema.String,
      price: fieldSchemas.price,
      change_24h_pct: Schema.optionalKey(fieldSchemas.change_24h_pct),
      volume_24h_usd: Schema.optionalKey(fieldSchemas.volume_24h_usd),
      rsi: Schema.optionalKey(fieldSchemas.rsi),
      score: Schema.optionalKey(fieldSchemas.score),
      funding_rate_pct: Schema.optionalKey(fieldSchemas.funding_rate_pct),
      oi_change_24h_coin_pct: Schema.optionalKey(fieldSchemas.oi_change_24h_coin_pct),
      atr_pct: Schema.optionalKey(fieldSchemas.atr_pct),
      range_position_pct: Schema.optionalKey(fieldSchemas.range_position_pct)
    })).annotate({
      description: "The price, and each field of a condition or of the sorting; null only in fields without a condition"
    }),
    matched: Schema.Int.annotate({ description: "Number of matching coins, including coins that `matches` omits" }),
    scanned: Schema.Int.annotate({ description: "Number of trading coins, without stablecoins" }),
    excluded_null: Schema.Struct({
      price: MissingCount,
      change_24h_pct: MissingCount,
      volume_24h_usd: MissingCount,
      rsi: MissingCount,
      score: MissingCount,
      funding_rate_pct: MissingCount,
      oi_change_24h_coin_pct: MissingCount,
      atr_pct: MissingCount,
      range_position_pct: MissingCount
    }).annotate({ description: "Number of coins without a value, which do not match, by tested field" }),
    hourly_at: Schema.NullOr(Instant).annotate({
      description:
        "The closed hour of rsi, score, atr_pct and range_position_pct; null if the request contains none of these fields"
    }),
    notes,
    ...provenance,
    as_of: asOf("Time of the prices")
  }),
  example: {
    filters: [{ field: "rsi", op: "lt", value: 60 }, { field: "volume_24h_usd", op: "gt", value: 1_000_000 }],
    sort: { field: "rsi", order: "asc" },
    top: 5
  }
})
