import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const usd = roundToDecimals(0)

const Level = Schema.Struct({
  price: quantity("USD, mean by value of those within 0.5 % of the price now", level),
  distance_pct: quantity("From the price now, percent", percent),
  side: Schema.Literals(["long", "short"]).annotate({ description: "Whose positions would be closed" }),
  leverage: Schema.Int,
  est_usd: quantity("Estimate of what would be traded there, USD", usd)
})

export const getLiquidationMap = specify({
  name: "get_liquidation_map",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  summary: "Estimate: where a coin's leveraged positions would be liquidated. What was: get_liquidations_history.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    modelled: Schema.Literal(true).annotate({ description: "An estimate: nobody publishes others' entries" }),
    model: Schema.String,
    weights: Schema.Array(Schema.Struct({
      leverage: Schema.Int,
      weight: quantity("Share of the positions opened, 0 to 1", fraction)
    })),
    price: quantity("USD now"),
    open_interest_usd: nullableQuantity("At the last full hour"),
    oi_coverage_pct: nullableQuantity(
      "Positions that still stand here over open interest, both in coins, percent; above 100, many have closed since",
      percent
    ),
    entry_hours: Schema.Int.annotate({ description: "Hours with an entry" }),
    known_hours: Schema.Int.annotate({ description: "Hours of the 168 whose change of open interest is known" }),
    levels: Schema.Array(Level).annotate({ description: "The 80 largest, lowest price first" }),
    level_count: Schema.Int.annotate({ description: "Levels, those cut from the list included" }),
    cumulative_usd: Schema.Array(Schema.Struct({
      within_pct: quantity("Percent of the price now"),
      below: quantity("Longs liquidated by a fall as far, USD", usd),
      above: quantity("Shorts liquidated by a rise as far, USD", usd)
    })).annotate({ description: "Over all levels" }),
    nearest_above: Schema.NullOr(Level),
    nearest_below: Schema.NullOr(Level),
    from: Instant.annotate({ description: "Since when entries are counted" }),
    notes,
    ...provenance,
    as_of: asOf("Time of the price; entries are those of the full hours before it")
  }),
  example: { coin: "BTC" }
})
