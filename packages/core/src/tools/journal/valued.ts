import { amount } from "../../engine/tool/rounding.ts"
import type { Ticker } from "../../market/coin.ts"
import { decimal, numberOrNull } from "../../personal/journal/decimal.ts"
import { liquidationOf } from "../../personal/journal/liquidation.ts"
import { profitAt } from "../../personal/journal/profit.ts"
import type { Position } from "../../personal/journal/records.ts"

/** The value of a position at the market price. */
export interface Valued {
  readonly position: Position
  readonly mark: number | null
  /** Notional at the mark price, in USD; at the entry if the mark or the entry is unknown. */
  readonly valueUsd: number | null
  readonly unrealisedUsd: number | null
  readonly unrealisedPct: number | null
  readonly liquidation: number | null
  /** Distance from the mark, in percent of the mark; negative if the mark is past the liquidation price. */
  readonly liquidationDistancePct: number | null
}

const shareOf = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null ? null : (100 * part) / whole

export const valued = (position: Position, mark: number | null): Valued => {
  const { side } = position
  const [size, entry] = [numberOrNull(position.sizeUsd), numberOrNull(position.entry)]
  const unrealised = mark === null ? null : numberOrNull(profitAt(position, decimal(mark)))
  const liquidation = liquidationOf({ side, entry, leverage: numberOrNull(position.leverage) })
  const distance = mark === null || liquidation === null
    ? null
    : (100 * (side === "long" ? mark - liquidation : liquidation - mark)) / mark
  return {
    position,
    mark,
    valueUsd: size === null ? null : mark === null || entry === null ? size : (size / entry) * mark,
    unrealisedUsd: unrealised,
    unrealisedPct: shareOf(unrealised, size),
    liquidation,
    liquidationDistancePct: distance
  }
}

/** Values positions at the market's prices, with a note on coins without a price. */
export const valuedBy = (positions: ReadonlyArray<Position>, tickers: ReadonlyArray<Ticker>) => {
  // Rounded as in the result, so that the profits match the shown mark.
  const marks = new Map(tickers.map(({ coin, price }) => [coin, amount(price)]))
  const unpriced = [...new Set(positions.map(({ coin }) => coin))].filter((coin) => !marks.has(coin))
  return {
    valued: positions.map((position) => valued(position, marks.get(position.coin) ?? null)),
    notes: unpriced.length === 0 ? [] : [`No price right now, so without a mark: ${unpriced.join(", ")}.`]
  }
}
