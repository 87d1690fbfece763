import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { numberOrNull } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { isLiquidatedFirst } from "../../personal/journal/positionRisk.ts"
import { getPositions } from "./getPositions.ts"
import { toPositionRow, toProfileRow } from "./rows.ts"
import { makeTextLimiter, maxNotesBytes } from "./textLimiter.ts"
import { type PositionValuation, valuePositions } from "./valuation.ts"

const toRow = (
  { liquidation, liquidationDistancePct, mark, position, unrealisedPct, unrealisedUsd, valueUsd }: PositionValuation
) => ({
  ...toPositionRow(position),
  mark,
  value_usd: valueUsd,
  unrealised_usd: unrealisedUsd,
  unrealised_pct: unrealisedPct,
  liquidation_price: liquidation,
  liquidation_distance_pct: liquidationDistancePct
})

const makeWarnings = (rows: ReadonlyArray<PositionValuation>): ReadonlyArray<string> => {
  const warnAbout = (message: string, isAffected: (one: PositionValuation) => boolean) => {
    const ids = rows.filter(isAffected).map(({ position }) => position.id)
    return ids.length === 0 ? [] : [`${message}: ${ids.join(", ")}.`]
  }
  return [
    ...warnAbout(
      "Liquidated before the stop is reached",
      ({ liquidation, position: { side, stop } }) => isLiquidatedFirst(side, liquidation, numberOrNull(stop))
    ),
    ...warnAbout(
      "The mark is past the liquidation price",
      ({ liquidationDistancePct }) => liquidationDistancePct !== null && liquidationDistancePct <= 0
    ),
    ...warnAbout(
      "No profit because size or entry were not recorded",
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
      const { notes, valued } = valuePositions(positions, tickers.value)
      const textLimiter = makeTextLimiter(maxNotesBytes)
      const rows = valued.map(toRow).map((entry) => ({
        ...entry,
        notes: entry.notes === null ? null : textLimiter.shorten(entry.notes)
      }))
      return {
        positions: rows,
        risk_profile: toProfileRow(profile),
        notes: [...notes, ...makeWarnings(valued), ...textLimiter.makeNotes("shorten them with update_position")],
        ...provenanceOf(tickers)
      }
    })
  })
)
