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
  summary: "Volatility squeeze and breakout of a coin on closed 1h candles: state, charge, corridor, fuel.",
  parameters: Schema.Struct({ coin: CoinArgument, at: asOfArgument }),
  result: Schema.Struct({
    coin: Schema.String,
    state: Schema.Literals(coilStates).annotate({
      description:
        "squeeze: Bollinger (20, 2) inside Keltner (EMA 20, 1.5 ATR 20); coiled: for 12 hours or more and tighter than 80 % of 250 hours; released_up, released_down: left its corridor within 6 hours"
    }),
    close: quantity("USD"),
    squeeze_pct: quantity("Share of up to 250 hours before whose bands were wider, 0 to 100 (tightest)", percent),
    charge: quantity("squeeze_pct * (1 - exp(-bars_in_squeeze / 12)), 0 to 100; 0 outside a squeeze", points),
    bars_in_squeeze: Schema.Int.annotate({ description: "Hours that the squeeze has lasted; 0 outside one" }),
    corridor: Schema.Struct({
      low: quantity("USD", level),
      high: quantity("USD", level),
      width_pct: quantity("(high - low) over their middle, percent", percent),
      position_pct: quantity(
        "Where the close lies between low (0) and high (100); outside them after a release",
        percent
      )
    }),
    fuel: Schema.Struct({
      score: nullableQuantity(
        "0 to 100: half open interest built since the corridor began (10 % is full), half how unusual funding is (|z| of 2)",
        points
      ),
      open_interest_change_pct: nullableQuantity("In coins, since the corridor began, percent", percent),
      funding_rate_pct: nullableQuantity("Per 8 hours, percent", fraction),
      funding_z: nullableQuantity("Over the payments of the 30 days before", fraction),
      funding_percentile_30d: nullableQuantity("Share of those payments strictly below it, percent", percent),
      funding_n: Schema.Int.annotate({ description: "Those payments" }),
      long_short_ratio: nullableQuantity("Accounts long over accounts short", fraction),
      crowded_side: Schema.NullOr(Schema.Literals(["longs", "shorts", "none"])).annotate({
        description: "The side that pays unusual funding: a move against it would force it out"
      })
    }),
    rule_versions: ruleVersions,
    notes,
    ...provenance
  }),
  example: { coin: "SOL" }
})
