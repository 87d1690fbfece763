import { amount } from "../../engine/tool/rounding.ts"
import type { Ticker } from "../../market/coin.ts"
import { decimal, numberOrNull } from "../../personal/journal/decimal.ts"
import { computeLiquidationPrice } from "../../personal/journal/positionRisk.ts"
import { computeProfit } from "../../personal/journal/profit.ts"
import type { Position } from "../../personal/journal/records.ts"

/** The value of a position at the market price. */
export interface PositionValuation {
  readonly position: Position
  readonly mark: number | null
  /** The notional in USD at the mark price, or at the entry if the mark price or the entry is unknown. */
  readonly valueUsd: number | null
  readonly unrealisedUsd: number | null
  readonly unrealisedPct: number | null
  readonly liquidation: number | null
  /**
   * The distance from the mark to the liquidation price, in percent of the mark, negative past the liquidation price.
   */
  readonly liquidationDistancePct: number | null
}

const computeSharePct = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null ? null : (100 * part) / whole

export const valuePosition = (position: Position, mark: number | null): PositionValuation => {
  const { side } = position
  const [size, entry] = [numberOrNull(position.sizeUsd), numberOrNull(position.entry)]
  const unrealised = mark === null ? null : numberOrNull(computeProfit(position, decimal(mark)))
  const liquidation = computeLiquidationPrice({ side, entry, leverage: numberOrNull(position.leverage) })
  const distance = mark === null || liquidation === null
    ? null
    : (100 * (side === "long" ? mark - liquidation : liquidation - mark)) / mark
  return {
    position,
    mark,
    valueUsd: size === null ? null : mark === null || entry === null ? size : (size / entry) * mark,
    unrealisedUsd: unrealised,
    unrealisedPct: computeSharePct(unrealised, size),
    liquidation,
    liquidationDistancePct: distance
  }
}

/** Values positions at the current market prices. Coins without a price are listed in a note. */
export const valuePositions = (positions: ReadonlyArray<Position>, tickers: ReadonlyArray<Ticker>) => {
  // The prices are rounded as in the result, so that the profits match the shown mark.
  const markByCoin = new Map(tickers.map(({ coin, price }) => [coin, amount(price)]))
  const unpricedCoins = [...new Set(positions.map(({ coin }) => coin))].filter((coin) => !markByCoin.has(coin))
  return {
    valued: positions.map((position) => valuePosition(position, markByCoin.get(position.coin) ?? null)),
    notes: unpricedCoins.length === 0
      ? []
      : [`Without a mark because there is no price right now: ${unpricedCoins.join(", ")}.`]
  }
}

/** The exposure to a coin, in USD at the mark price. */
export interface CoinExposure {
  readonly coin: string
  readonly gross: number
  /** The value of long positions minus the value of short positions. */
  readonly net: number
}

/** Returns the exposure by coin, largest exposure first, without positions of unknown size. */
export const computeExposureByCoin = (positions: ReadonlyArray<PositionValuation>): ReadonlyArray<CoinExposure> => {
  const coins = new Map<string, CoinExposure>()
  for (const { position: { coin, side }, valueUsd } of positions) {
    if (valueUsd === null) continue
    const { gross, net } = coins.get(coin) ?? { gross: 0, net: 0 }
    coins.set(coin, { coin, gross: gross + valueUsd, net: net + (side === "long" ? valueUsd : -valueUsd) })
  }
  return [...coins.values()].sort((a, b) => b.gross - a.gross || (a.coin < b.coin ? -1 : 1))
}

/**
 * Returns the loss in USD if the position is closed at its stop, or null if a value is unknown. The loss is 0 if the
 * position would be closed at its stop with a profit.
 */
const computeRiskAtStop = (
  { position: { entry: entryDecimal, side, sizeUsd, stop: stopDecimal } }: PositionValuation
): number | null => {
  const [size, entry, stop] = [numberOrNull(sizeUsd), numberOrNull(entryDecimal), numberOrNull(stopDecimal)]
  if (size === null || entry === null || stop === null) return null
  return Math.max(0, (size / entry) * (side === "long" ? entry - stop : stop - entry))
}

/** Returns the total loss if all stops fill at their prices, or null if the loss of any position is unknown. */
export const computeOpenRisk = (positions: ReadonlyArray<PositionValuation>): number | null => {
  let total = 0
  for (const position of positions) {
    const risk = computeRiskAtStop(position)
    if (risk === null) return null
    total += risk
  }
  return total
}

export const findNearestLiquidation = (positions: ReadonlyArray<PositionValuation>) => {
  let nearest: { readonly valued: PositionValuation; readonly price: number; readonly distancePct: number } | null =
    null
  for (const valued of positions) {
    const { liquidation: price, liquidationDistancePct: distancePct } = valued
    if (price === null || distancePct === null) continue
    if (nearest === null || distancePct < nearest.distancePct) nearest = { valued, price, distancePct }
  }
  return nearest
}
