import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { isLiquidatedFirst } from "../../personal/journal/liquidation.ts"
import { fullNotesBytes, makeCutter } from "./cutter.ts"
import { getPositions } from "./getPositions.ts"
import { positionRow, profileRow } from "./rows.ts"
import { type Valued, valuedBy } from "./valued.ts"

const row = (
  { liquidation, liquidationDistancePct, mark, position, unrealisedPct, unrealisedUsd, valueUsd }: Valued
) => ({
  ...positionRow(position),
  mark,
  value_usd: valueUsd,
  unrealised_usd: unrealisedUsd,
  unrealised_pct: unrealisedPct,
  liquidation_price: liquidation,
  liquidation_distance_pct: liquidationDistancePct
})

/** Returns the warnings, each with the ids of its positions. */
const warnings = (rows: ReadonlyArray<Valued>): ReadonlyArray<string> => {
  const saying = (what: string, is: (one: Valued) => boolean) => {
    const ids = rows.filter(is).map(({ position }) => position.id)
    return ids.length === 0 ? [] : [`${what}: ${ids.join(", ")}.`]
  }
  return [
    ...saying(
      "Liquidated before the stop is reached",
      ({ liquidation, position: { side, stop } }) => isLiquidatedFirst(side, liquidation, numberOrNull(stop))
    ),
    ...saying(
      "The mark is past the liquidation price",
      ({ liquidationDistancePct }) => liquidationDistancePct !== null && liquidationDistancePct <= 0
    ),
    ...saying(
      "Without profit, since size or entry were not recorded",
      ({ position: { entry, sizeUsd } }) => entry === null || sizeUsd === null
    )
  ]
}

export const handler = handlerOf(
  getPositions,
  Effect.gen(function*() {
    const [journal, prices] = yield* Effect.all([Effect.service(JournalStore), CoinPrices])
    return Effect.fnUntraced(function*(_, { principal }) {
      const { positions, profile } = yield* journal.holdings(principal.account)
      const tickers = yield* prices.tickers
      const { notes, valued } = valuedBy(positions, tickers.value)
      const cutter = makeCutter(fullNotesBytes)
      const rows = valued.map(row).map((one) => ({ ...one, notes: one.notes === null ? null : cutter.tell(one.notes) }))
      return {
        positions: rows,
        risk_profile: profileRow(profile),
        notes: [...notes, ...warnings(valued), ...cutter.notes("update_position makes them shorter")],
        ...provenanceOf(tickers)
      }
    })
  })
)
