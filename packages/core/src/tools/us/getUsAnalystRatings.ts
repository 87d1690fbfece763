import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

const Grade = Schema.Literals(["strong_buy", "buy", "hold", "sell", "strong_sell"])

export const getUsAnalystRatings = specify({
  name: "get_us_analyst_ratings",
  area: "us",
  scope: "read:market",
  credits: 5,
  summary: "Analysts on a US stock: consensus, targets, changes; without symbol, newest changes of all.",
  parameters: Schema.Struct({ symbol: optional(SymbolArgument) }),
  result: Schema.Struct({
    symbol: Schema.NullOr(Schema.String).annotate({ description: "Null for all US stocks" }),
    consensus: Schema.NullOr(Schema.Struct({
      grade: Grade.annotate({ description: "Grade of the rounded score" }),
      score: quantity("Mean of the grades, from 1 (strong buy) to 5 (strong sell)", roundToDecimals(2)),
      n: Schema.Int.annotate({ description: "Analysts" }),
      counts: Schema.Struct({
        strong_buy: Schema.Int,
        buy: Schema.Int,
        hold: Schema.Int,
        sell: Schema.Int,
        strong_sell: Schema.Int
      })
    })).annotate({ description: "Null without ratings or without a symbol" }),
    target: Schema.NullOr(Schema.Struct({
      mean: quantity("USD"),
      low: quantity("USD"),
      high: quantity("USD"),
      price: quantity("Current price, USD"),
      upside_pct: quantity("From the price to the mean target, percent", percent)
    })).annotate({ description: "Price targets of analysts for one year; null without published targets" }),
    changes: Schema.Array(Schema.Struct({
      time: Instant,
      symbol: Schema.String.annotate({ description: "Ticker" }),
      firm: Schema.String.annotate({ description: "The rating firm" }),
      action: Schema.Literals(["upgrade", "downgrade", "reiterate", "initiate"]),
      from: Schema.NullOr(Grade),
      to: Grade,
      target_usd: nullableQuantity("Price target published with the change, USD")
    })).annotate({ description: "Oldest first" }),
    notes,
    ...provenance
  }),
  example: { symbol: "AAPL" }
})
