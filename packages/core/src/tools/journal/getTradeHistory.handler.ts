import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { dayMs } from "../../market/timeframe.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { fullNotesBytes, makeCutter } from "./cutter.ts"
import { getTradeHistory } from "./getTradeHistory.ts"
import { noteRow, tradeRow } from "./rows.ts"
import { mustBeListed } from "./writing.ts"

/** The maximum bytes of notes in the short form. */
const inShort = 2_500

export const handler = handlerOf(
  getTradeHistory,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    return Effect.fnUntraced(function*({ coin = null, days, full_notes, top }, { principal }) {
      if (coin !== null) yield* mustBeListed(prices, coin)
      const query = { withinMs: days * dayMs, coin, limit: top }
      const { notes, total, trades } = yield* journal.history(principal.account, query)
      const cutter = makeCutter(full_notes ? fullNotesBytes : inShort)
      const rows = trades.map(tradeRow).map((row) => ({
        ...row,
        notes: row.notes === null ? null : cutter.tell(row.notes)
      }))
      const journal_notes = notes.map(noteRow).map((note) => ({ ...note, text: cutter.tell(note.text) }))
      return {
        days,
        coin,
        trades: rows,
        total,
        journal_notes,
        notes: [
          ...(total > trades.length
            ? [`${total - trades.length} older trades are not listed; ask with a larger top.`]
            : []),
          ...cutter.notes(full_notes ? "ask of fewer trades" : "full_notes tells more")
        ]
      }
    })
  })
)
