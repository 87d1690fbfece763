import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { NoteRow, TradeRow } from "./fields.ts"

export const getTradeHistory = specify({
  name: "get_trade_history",
  area: "journal",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "The caller's closed trades with R, profit and notes, newest first. Their statistics: get_journal_stats.",
  parameters: Schema.Struct({
    days: withDefault(integerBetween(1, 365), 90),
    coin: optional(CoinArgument),
    top: withDefault(integerBetween(1, 300), 20),
    full_notes: withDefault(Schema.Boolean, false)
  }),
  result: Schema.Struct({
    days: Schema.Int,
    coin: Schema.NullOr(Schema.String),
    trades: Schema.Array(TradeRow).annotate({ description: "Newest first, at most `top`" }),
    total: Schema.Int.annotate({ description: "Trades closed in the period, including trades that are not listed" }),
    journal_notes: Schema.Array(NoteRow).annotate({
      description: "Notes on the listed trades, and notes of the period without a trade; newest first, at most 100"
    }),
    notes
  }),
  example: { days: 30 }
})
