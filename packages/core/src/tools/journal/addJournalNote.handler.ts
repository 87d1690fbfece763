import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { addJournalNote } from "./addJournalNote.ts"
import { toNoteRow } from "./rows.ts"
import { makeJournalWriter, requireListed } from "./writeJournal.ts"

export const handler = handlerOf(
  addJournalNote,
  Effect.gen(function*() {
    const [writeJournal, prices] = yield* Effect.all([makeJournalWriter, CoinPrices])
    return Effect.fnUntraced(function*({ coin = null, text, trade_id: tradeId = null }, context) {
      if (coin !== null) yield* requireListed(prices, coin)
      const { note } = yield* writeJournal(context, { _tag: "AddNote", text, tradeId, coin }, "Note")
      return { note: toNoteRow(note) }
    })
  })
)
