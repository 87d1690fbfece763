import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { Instant, maybe, notes, quantity } from "../../engine/tool/result.ts"
import { fraction } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { side } from "./arguments.ts"

const OutcomeRow = Schema.Struct({
  position_id: Schema.Int,
  coin: Schema.String,
  side,
  pnl_usd: maybe("After fees, USD"),
  r: maybe("R", fraction),
  closed_at: Instant
})

const group = {
  n: Schema.Int.annotate({ description: "Positions" }),
  wins: Schema.Int,
  win_rate: maybe("0 to 1", fraction),
  expectancy_r: maybe("Mean R of those that have one", fraction),
  pnl_usd: quantity("After fees, USD, of those of which it is known")
}

export const getJournalStats = specify({
  name: "get_journal_stats",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  summary: "Statistics of the caller's closed positions: win rate, expectancy in R, profit factor, streaks, by coin.",
  parameters: Schema.Struct({ days: withDefault(integerBetween(1, 365), 90) }),
  result: Schema.Struct({
    days: Schema.Int,
    ...group,
    wilson_low: maybe("Lower 95 % bound of win_rate", fraction),
    wilson_high: maybe("Upper 95 % bound of win_rate", fraction),
    n_judged: Schema.Int.annotate({
      description: "Positions of which it is known whether they won: those of win_rate"
    }),
    n_without_r: Schema.Int,
    profit_factor: maybe("Profits over losses, USD; null without a loss", fraction),
    average_win_r: maybe("Mean of R above 0", fraction),
    average_loss_r: maybe("Mean of R below 0", fraction),
    fees_usd: quantity("USD"),
    best: Schema.NullOr(OutcomeRow),
    worst: Schema.NullOr(OutcomeRow),
    by_coin: Schema.Array(Schema.Struct({ coin: Schema.String, ...group })).annotate({
      description: "Most positions first, at most 20"
    }),
    by_side: Schema.Array(Schema.Struct({ side, ...group })),
    streaks: Schema.Struct({
      longest_win: Schema.Int,
      longest_loss: Schema.Int,
      current: Schema.Int.annotate({ description: "Above 0: wins in a row; below: losses" })
    }),
    notes
  }),
  example: { days: 90 }
})
