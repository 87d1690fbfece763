import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { toPositionRow } from "./rows.ts"
import { setPosition } from "./setPosition.ts"
import { makeJournalWriter, makePositionWarnings, requireListed, toPositionFields } from "./writeJournal.ts"

export const handler = handlerOf(
  setPosition,
  Effect.gen(function*() {
    const [write, prices] = yield* Effect.all([makeJournalWriter, CoinPrices])
    return Effect.fnUntraced(function*({ coin, side, ...fieldArguments }, context) {
      yield* requireListed(prices, coin)
      const fields = toPositionFields(fieldArguments)
      const { position } = yield* write(context, { _tag: "Open", coin, side, fields }, "Position")
      return { position: toPositionRow(position), notes: makePositionWarnings(position) }
    })
  })
)
