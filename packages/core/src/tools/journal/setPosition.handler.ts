import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { positionRow } from "./rows.ts"
import { setPosition } from "./setPosition.ts"
import { makeWriting, mustBeListed, positionFieldsOf, warningsOf } from "./writing.ts"

export const handler = handlerOf(
  setPosition,
  Effect.gen(function*() {
    const [write, prices] = yield* Effect.all([makeWriting, CoinPrices])
    return Effect.fnUntraced(function*({ coin, side, ...given }, context) {
      yield* mustBeListed(prices, coin)
      const fields = positionFieldsOf(given)
      const { position } = yield* write(context, { _tag: "Open", coin, side, fields }, "Position")
      return { position: positionRow(position), notes: warningsOf(position) }
    })
  })
)
