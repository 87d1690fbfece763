import { Schema } from "effect"
import { marketViews } from "../../analysis/options/strategies.ts"
import { optional } from "../../engine/tool/argument.ts"
import { asOf, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent, roundToDecimals } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { optionalExpiry } from "./arguments.ts"

const dollars = roundToDecimals(8)
const Type = Schema.Literals(["call", "put"])
const Side = Schema.Literals(["buy", "sell"])

const Structure = Schema.Struct({
  family: Schema.String.annotate({ description: "Common name of the structure" }),
  why: Schema.String,
  risk: Schema.String,
  legs: Schema.Array(Schema.Struct({ type: Type, side: Side, qty: quantity("Coins"), strike: quantity("USD") })),
  anchors: Schema.Array(Schema.Struct({
    anchor: Schema.String.annotate({ description: "The level from which the strike is chosen" }),
    price: quantity("Price of this level, USD", level),
    strike: quantity("The nearest quoted strike, USD")
  })).annotate({ description: "The choice of each leg's strike" }),
  structure_arguments: Schema.Struct({
    coin: Schema.String,
    expiry: Schema.String,
    legs: Schema.Array(Schema.Struct({
      type: Type,
      strike: Schema.Finite.annotate({ description: "USD" }),
      side: Side,
      qty: Schema.Finite.annotate({ description: "Coins" })
    }))
  }).annotate({ description: "Arguments of get_option_structure, which returns greeks and payoff" }),
  debit_usd: quantity("Cost at ask and bid; below 0, a credit", dollars),
  max_profit_usd: nullableQuantity("Null if unlimited", dollars),
  max_loss_usd: nullableQuantity("A negative number; null if unlimited", dollars),
  break_evens: Schema.Array(quantity("USD", dollars)),
  probability_of_profit: nullableQuantity("Same as in get_option_structure", fraction)
})

export const getOptionStrategy = specify({
  name: "get_option_strategy",
  area: "options",
  scope: "read:market",
  credits: 5,
  summary: "Suggests option structures on BTC, ETH or SOL for a view, priced. Your own legs: get_option_structure.",
  parameters: Schema.Struct({
    coin: CoinArgument,
    view: optional(Schema.Literals(marketViews).annotate({ description: "Default: from the market" })),
    expiry: optionalExpiry
  }),
  result: Schema.Struct({
    coin: Schema.String,
    view: Schema.Literals(marketViews),
    view_from: Schema.Literals(["argument", "market"]),
    view_why: Schema.String,
    expiry: Schema.String.annotate({ description: "Date, UTC" }),
    market: Schema.Struct({
      spot: quantity("Index price, USD", level),
      forward: nullableQuantity("Forward of this expiry, USD", level),
      move_14d_pct: nullableQuantity("Percent", percent),
      move_14d_sd: nullableQuantity("The move in standard deviations of 14 days at realised_30d_pct", fraction),
      iv_30d_pct: nullableQuantity("30-day IV at the money, percent a year", percent),
      realised_30d_pct: nullableQuantity("Realised volatility of 30 days of 1h candles, percent a year", percent),
      iv_minus_rv: nullableQuantity("Points", percent),
      iv_percentile: nullableQuantity("Share of the days of the last year with a lower 30-day IV, percent", percent),
      iv_days: Schema.Int.annotate({ description: "Number of days of the percentile" }),
      skew_25d: nullableQuantity("30-day skew, points", percent),
      one_sd_low: nullableQuantity(
        "Price one standard deviation lower at the expiry, from its at-the-money IV, USD",
        level
      ),
      one_sd_high: nullableQuantity("Price one standard deviation higher at the expiry, USD", level),
      max_pain: nullableQuantity("Max pain strike of the expiry, USD"),
      call_wall: nullableQuantity("Strike with the most call gamma of the expiry, USD"),
      put_wall: nullableQuantity("Strike with the most put gamma of the expiry, USD")
    }),
    structures: Schema.Array(Structure).annotate({
      description: "Structures that suit the level of IV first"
    }),
    risks: Schema.Array(Schema.String),
    notes,
    ...provenance,
    as_of: asOf("Time of the quotes; history and moves are of closed hours before it")
  }),
  example: { coin: "BTC", view: "neutral" }
})
