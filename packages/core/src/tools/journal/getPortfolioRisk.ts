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
  summary: "Risk of the caller's open positions together: exposure, stops, value at risk, concentration, correlation.",
  parameters: noArguments,
  result: Schema.Struct({
    n: Schema.Int.annotate({ description: "Open positions" }),
    gross_usd: quantity("Notional at the mark of all positions of a known size, USD"),
    net_usd: quantity("Longs less shorts"),
    open_risk_usd: nullableQuantity(
      "Lost against the entries if every stop fills at its price; a stop beyond its entry risks 0"
    ),
    open_risk_pct: nullableQuantity("Of the profile's account", percent),
    unprotected: Schema.Array(Schema.Int).annotate({ description: "Positions without a stop, by id" }),
    var_95_usd: nullableQuantity(
      "Loss of a day that one in twenty exceeds, by historical simulation over up to 90 daily returns"
    ),
    var_n: Schema.Int.annotate({ description: "Daily returns that it stands on" }),
    var_coverage_pct: quantity("Of the gross, what those returns are of", percent),
    concentration: Schema.Array(Schema.Struct({
      coin: Schema.String,
      gross_usd: quantity("USD"),
      net_usd: quantity("USD"),
      share_pct: quantity("Of the gross of all", percent)
    })).annotate({ description: "By coin, largest first, at most 10" }),
    correlation_warning: Schema.NullOr(Schema.String),
    correlated: Schema.Array(Schema.Struct({
      coins: Schema.Array(Schema.String),
      correlation: quantity("Of daily log returns, turned where one is long and one short", fraction)
    })).annotate({ description: "Pairs of held coins that move as one bet: from 0.8; at most 10, strongest first" }),
    nearest_liquidation: Schema.NullOr(Schema.Struct({
      id: Schema.Int,
      coin: Schema.String,
      side,
      liquidation_price: quantity("USD", level),
      distance_pct: quantity("From the mark, of the mark; below 0: it lies behind", percent)
    })),
    notes,
    ...provenance
  }),
  example: {}
})
