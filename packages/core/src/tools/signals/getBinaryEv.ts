import { Schema } from "effect"
import { numberAbove } from "../../engine/tool/argument.ts"
import { quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"

export const getBinaryEv = specify({
  name: "get_binary_ev",
  area: "signals",
  scope: "read:market",
  credits: 1,
  pure: true,
  summary: "Expected value of a binary bet per unit staked, break-even win rate, edge, Kelly fraction.",
  parameters: Schema.Struct({
    p_win: Schema.Finite.annotate({ description: "Probability" }).check(
      Schema.isBetween({ minimum: 0, maximum: 1 })
    ),
    payout_pct: numberAbove(0, "Gain of a win, percent of the stake")
  }),
  result: Schema.Struct({
    ev_per_unit: quantity("p * payout - (1 - p), per unit staked", fraction),
    break_even_win_rate: quantity("1 / (1 + payout), 0 to 1", fraction),
    edge: quantity("p_win - break_even_win_rate", fraction),
    kelly_fraction: quantity(
      "Kelly fraction of the capital, edge / (1 - break_even_win_rate); 0 without an edge",
      fraction
    )
  }),
  example: { p_win: 0.58, payout_pct: 80 }
})
