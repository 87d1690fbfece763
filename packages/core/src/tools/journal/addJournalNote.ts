import { Schema } from "effect"
import { isNotBlank, Text } from "../../engine/text/text.ts"
import { optional } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { recordId } from "./arguments.ts"
import { NoteRow } from "./fields.ts"

export const addJournalNote = specify({
  name: "add_journal_note",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Adds a note to the journal: on a trade, on a coin, or on neither.",
  parameters: Schema.Struct({
    text: Text.check(Schema.isBetweenLength(1, 10_000), isNotBlank),
    trade_id: optional(recordId),
    coin: optional(CoinArgument)
  }),
  result: Schema.Struct({ note: NoteRow }),
  example: { text: "Waited for the retest.", coin: "BTC" }
})
