import { Schema } from "effect"
import { optional } from "../../engine/tool/argument.ts"
import { nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction, level, percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { leverage, percentOfAccount, price, side, usd } from "./arguments.ts"

const isStopOnLosingSide = Schema.makeFilter<
  { readonly entry: number; readonly stop: number; readonly side?: "long" | "short" }
>(
  ({ entry, side, stop }) => entry !== stop && (side === undefined || (side === "long") === stop < entry),
  { expected: "a stop on the losing side of the entry", expectedMessage: { key: "expected_stop_side" } }
)

export const getRiskSizing = specify({
  name: "get_risk_sizing",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "Position size for a fixed risk at the stop; R of targets, liquidation price.",
  parameters: Schema.Struct({
    entry: price,
    stop: price,
    side: optional(side.annotate({ description: "Default: from the stop" })),
    account_usd: optional(usd.annotate({ description: "Default: the risk profile's" })),
    risk_pct: optional(percentOfAccount.annotate({ description: "% of the account; default: the profile's or 1" })),
    leverage: optional(leverage),
    targets: optional(Schema.Array(price).check(Schema.isMaxLength(10)))
  }).check(isStopOnLosingSide),
  result: Schema.Struct({
    side,
    account_usd: quantity("USD"),
    risk_pct: quantity("Share of the account, percent", percent),
    risk_pct_source: Schema.Literals(["argument", "profile", "default"]),
    size_usd: quantity("Notional at the entry, rounded down"),
    quantity: quantity("Coins, rounded down"),
    risk_usd: quantity("Loss at the stop before fees and slippage; at most risk_pct of the account"),
    stop_distance_pct: quantity("Distance from entry to stop, percent of the entry", percent),
    margin_usd: nullableQuantity("size_usd / leverage; null without leverage"),
    r_multiples: Schema.Array(Schema.Struct({
      target: quantity("USD"),
      r: quantity("(target - entry) / |entry - stop|, with the opposite sign for a short", fraction)
    })),
    liquidation_price: nullableQuantity(
      "For isolated margin of size / leverage and a maintenance margin of 0.5 %; null without leverage, or if no price liquidates",
      level
    ),
    liquidation_distance_pct: nullableQuantity("Distance from the entry, percent of the entry", percent),
    warnings: Schema.Array(Schema.String)
  }),
  example: { entry: 95000, stop: 92000, account_usd: 10000, risk_pct: 1, leverage: 5, targets: [101000, 107000] }
})
