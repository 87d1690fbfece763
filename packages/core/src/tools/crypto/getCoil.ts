import { Schema } from "effect"
import { coilStates } from "../../analysis/signals/vocabulary.ts"
import { asOfArgument } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity, ruleVersions } from "../../engine/tool/result.ts"
import { fraction, level, percent, points } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"

export const getCoil = specify({
  name: "get_coil",
  area: "crypto",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Volatility squeeze and breakout of a coin on closed 1h candles: state, charge, corridor, fuel.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    state: Schema.Literals(coilStates).annotate({
      description:
        "squeeze: Bollinger (20, 2) inside Keltner (EMA 20, 1.5 ATR 20); coiled: a squeeze of at least 12 hours that is tighter than 80 % of 250 hours; released_up, released_down: left the corridor within the last 6 hours"
    }),
    close: quantity("USD"),
    squeeze_pct: quantity("Share of up to 250 previous hours with wider bands, 0 to 100 (tightest)", percent),
    charge: quantity("squeeze_pct * (1 - exp(-bars_in_squeeze / 12)), 0 to 100; 0 outside a squeeze", points),
    bars_in_squeeze: Schema.Int.annotate({ description: "Duration of the squeeze, hours; 0 outside a squeeze" }),
    corridor: Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      width_pct: quantity("(high - low) over their mean, percent", percent),
      position_pct: quantity(
        "Position of the close between low (0) and high (100); below 0 or above 100 after a release",
        percent
      )
    }),
    fuel: Schema.Struct({
      score: nullableQuantity(
        "0 to 100: half from open interest added since the corridor began (full at 10 %), half from unusual funding (full at |z| of 2)",
        points
      ),
      open_interest_change_pct: nullableQuantity("Change in coins since the corridor began, percent", percent),
      funding_rate_pct: nullableQuantity("Per 8 hours, percent", fraction),
      funding_z: nullableQuantity("z-score among the payments of the previous 30 days", fraction),
      funding_percentile_30d: nullableQuantity("Share of these payments strictly below the rate, percent", percent),
      funding_n: Schema.Int.annotate({ description: "Number of these payments" }),
      long_short_ratio: nullableQuantity("Number of long accounts over short accounts", fraction),
      crowded_side: Schema.NullOr(Schema.Literals(["longs", "shorts", "none"])).annotate({
        description: "The side that pays unusual funding: a price move against it would force it to close"
      })
    }),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "SOL" }
})
