import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { addJournalNote } from "./addJournalNote.ts"
import { noteRow } from "./rows.ts"
import { makeWriting, mustBeListed } from "./writing.ts"

export const handler = handlerOf(
  addJournalNote,
  Effect.gen(function*() {
    const [write, prices] = yield* Effect.all([makeWriting, CoinPrices])
    return Effect.fnUntraced(function*({ coin = null, text, trade_id: tradeId = null }, context) {
      if (coin !== null) yield* mustBeListed(prices, coin)
      const { note } = yield* write(context, { _tag: "AddNote", text, tradeId, coin }, "Note")
      return { note: noteRow(note) }
    })
  })
)
