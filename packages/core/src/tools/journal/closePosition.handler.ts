import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { decimal } from "../../personal/journal/decimal.ts"
import { closePosition } from "./closePosition.ts"
import { toPositionRow, toTradeRow } from "./rows.ts"
import { makeJournalWriter, makePositionVersionReader } from "./writeJournal.ts"

export const handler = handlerOf(
  closePosition,
  Effect.map(
    makeJournalWriter,
    (write) =>
      Effect.fnUntraced(function*({ exit, fees_usd, fraction, id, notes }, context) {
        const { position, trade } = yield* write(context, {
          _tag: "Close",
          id,
          exit: decimal(exit),
          fraction: decimal(fraction),
          feesUsd: decimal(fees_usd),
          notes: notes ?? null
        }, "Closed")
        return { trade: toTradeRow(trade), position: position === null ? null : toPositionRow(position) }
      })
  ),
  makePositionVersionReader
)
