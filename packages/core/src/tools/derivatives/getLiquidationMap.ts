import { Schema } from "effect"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { asOf, Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const usd = roundToDecimals(0)

const Level = Schema.Struct({
  price: quantity("Value-weighted mean price of the positions in a bin of 0.5 % of the current price, USD", level),
  distance_pct: quantity("From the current price, percent", percent),
  side: Schema.Literals(["long", "short"]).annotate({
    description: "The side of the positions that would be liquidated"
  }),
  leverage: Schema.Int,
  est_usd: quantity("Estimated value that would be traded at this level, USD", usd)
})

export const getLiquidationMap = specify({
  name: "get_liquidation_map",
  area: "derivatives",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary:
    "Estimate: where a coin's leveraged positions would be liquidated. Past liquidations: get_liquidations_history.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    modelled: Schema.Literal(true).annotate({
      description: "Always true: entries of positions are not published, so this is an estimate"
    }),
    model: Schema.String,
    weights: Schema.Array(Schema.Struct({
      leverage: Schema.Int,
      weight: quantity("Share of the opened positions, 0 to 1", fraction)
    })),
    price: quantity("Current price, USD"),
    open_interest_usd: nullableQuantity("At the last full hour"),
    oi_coverage_pct: nullableQuantity(
      "Remaining positions of the model over open interest, both in coins, percent; above 100, many positions have been closed",
      percent
    ),
    entry_hours: Schema.Int.annotate({ description: "Number of hours with entries" }),
    known_hours: Schema.Int.annotate({ description: "Number of the 168 hours with a known change of open interest" }),
    levels: Schema.Array(Level).annotate({ description: "The 80 largest, lowest price first" }),
    level_count: Schema.Int.annotate({ description: "Number of levels, including those that are not listed" }),
    cumulative_usd: Schema.Array(Schema.Struct({
      within_pct: quantity("Distance from the current price, percent"),
      below: quantity("Longs liquidated by a fall of this size, USD", usd),
      above: quantity("Shorts liquidated by a rise of this size, USD", usd)
    })).annotate({ description: "Sums over all levels by distance from the price" }),
    nearest_above: Schema.NullOr(Level),
    nearest_below: Schema.NullOr(Level),
    from: Instant.annotate({ description: "Start of the counted entries" }),
    notes,
    ...provenance,
    as_of: asOf("Time of the price; entries are of the full hours before it")
  }),
  example: { coin: "BTC" }
})
