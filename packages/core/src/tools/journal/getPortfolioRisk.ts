import { Schema } from "effect"
import { noArguments } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { provenance } from "../../market/provenance.ts"
import { side } from "./arguments.ts"

export const getPortfolioRisk = specify({
  name: "get_portfolio_risk",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "Total risk of the caller's open positions: exposure, stops, value at risk, concentration, correlation.",
  parameters: noArguments,
  result: Schema.Struct({
    n: Schema.Int.annotate({ description: "Open positions" }),
    gross_usd: quantity("Notional at the mark of all positions with a known size, USD"),
    net_usd: quantity("Longs minus shorts, USD"),
    open_risk_usd: nullableQuantity(
      "Loss from the entries if every stop fills at its price; a stop on the winning side of its entry risks 0"
    ),
    open_risk_pct: nullableQuantity("Share of the risk profile's account size, percent", percent),
    unprotected: Schema.Array(Schema.Int).annotate({ description: "Positions without a stop, by id" }),
    var_95_usd: nullableQuantity(
      "Loss that one day in twenty exceeds, by historical simulation over up to 90 daily returns"
    ),
    var_n: Schema.Int.annotate({ description: "Number of daily returns of var_95_usd" }),
    var_coverage_pct: quantity("Share of gross_usd that var_95_usd covers, percent", percent),
    concentration: Schema.Array(Schema.Struct({
      coin: Schema.String,
      gross_usd: quantity("USD"),
      net_usd: quantity("USD"),
      share_pct: quantity("Share of gross_usd, percent", percent)
    })).annotate({ description: "By coin, largest first, at most 10" }),
    correlation_warning: Schema.NullOr(Schema.String),
    correlated: Schema.Array(Schema.Struct({
      coins: Schema.Array(Schema.String),
      correlation: quantity(
        "Correlation of daily log returns, with the opposite sign if one is long and one short",
        fraction
      )
    })).annotate({
      description:
        "Pairs of held coins with a correlation of at least 0.8, which move as one bet; at most 10, strongest first"
    }),
    nearest_liquidation: Schema.NullOr(Schema.Struct({
      id: Schema.Int,
      coin: Schema.String,
      side,
      liquidation_price: quantity("USD", level),
      distance_pct: quantity(
        "Distance from the mark, percent of the mark; below 0 if the mark has passed it",
        percent
      )
    })),
    notes,
    ...provenance
  }),
  example: {}
})
