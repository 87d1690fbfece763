import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { dayMs } from "../../market/timeframe.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { getTradeHistory } from "./getTradeHistory.ts"
import { toNoteRow, toTradeRow } from "./rows.ts"
import { makeTextLimiter, maxNotesBytes } from "./textLimiter.ts"
import { requireListed } from "./writeJournal.ts"

/** The maximum total size of the notes in a result, in bytes, unless full notes are requested. */
const maxShortNotesBytes = 2_500

export const handler = handlerOf(
  getTradeHistory,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    return Effect.fnUntraced(function*({ coin = null, days, full_notes, top }, { principal }) {
      if (coin !== null) yield* requireListed(prices, coin)
      const query = { withinMs: days * dayMs, coin, limit: top }
      const { notes, total, trades } = yield* journal.history(principal.account, query)
      const textLimiter = makeTextLimiter(full_notes ? maxNotesBytes : maxShortNotesBytes)
      const rows = trades.map(toTradeRow).map((row) => ({
        ...row,
        notes: row.notes === null ? null : textLimiter.shorten(row.notes)
      }))
      const journal_notes = notes.map(toNoteRow).map((note) => ({ ...note, text: textLimiter.shorten(note.text) }))
      return {
        days,
        coin,
        trades: rows,
        total,
        journal_notes,
        notes: [
          ...(total > trades.length
            ? [`${total - trades.length} older trades are not listed; pass a larger top.`]
            : []),
          ...textLimiter.makeNotes(full_notes ? "request fewer trades" : "pass full_notes for longer texts")
        ]
      }
    })
  })
)
