import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { side } from "./arguments.ts"

const OutcomeRow = Schema.Struct({
  position_id: Schema.Int,
  coin: Schema.String,
  side,
  pnl_usd: nullableQuantity("After fees, USD"),
  r: nullableQuantity("R", fraction),
  closed_at: Instant
})

const groupFields = {
  n: Schema.Int.annotate({ description: "Positions" }),
  wins: Schema.Int,
  win_rate: nullableQuantity("0 to 1", fraction),
  expectancy_r: nullableQuantity("Mean R of the positions that have R", fraction),
  pnl_usd: quantity("Sum of the known profits after fees, USD")
}

export const getJournalStats = specify({
  name: "get_journal_stats",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "Statistics of the caller's closed positions: win rate, expectancy in R, profit factor, streaks, by coin.",
  parameters: Schema.Struct({ days: withDefault(integerBetween(1, 365), 90) }),
  result: Schema.Struct({
    days: Schema.Int,
    ...groupFields,
    wilson_low: nullableQuantity("Lower 95 % bound of win_rate", fraction),
    wilson_high: nullableQuantity("Upper 95 % bound of win_rate", fraction),
    n_judged: Schema.Int.annotate({
      description: "Positions with a known outcome, which win_rate counts"
    }),
    n_without_r: Schema.Int,
    profit_factor: nullableQuantity("Sum of profits over sum of losses; null without a loss", fraction),
    average_win_r: nullableQuantity("Mean of R above 0", fraction),
    average_loss_r: nullableQuantity("Mean of R below 0", fraction),
    fees_usd: quantity("USD"),
    best: Schema.NullOr(OutcomeRow),
    worst: Schema.NullOr(OutcomeRow),
    by_coin: Schema.Array(Schema.Struct({ coin: Schema.String, ...groupFields })).annotate({
      description: "Most positions first, at most 20"
    }),
    by_side: Schema.Array(Schema.Struct({ side, ...groupFields })),
    streaks: Schema.Struct({
      longest_win: Schema.Int,
      longest_loss: Schema.Int,
      current: Schema.Int.annotate({ description: "Current streak: wins in a row if above 0, losses if below 0" })
    }),
    notes
  }),
  example: { days: 90 }
})
