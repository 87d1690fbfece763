import { numberOrNull } from "../../personal/journal/decimal.ts"
import type { Valued } from "./valued.ts"

/** The exposure to a coin, in USD at the mark price. */
export interface CoinExposure {
  readonly coin: string
  readonly gross: number
  /** Longs minus shorts. */
  readonly net: number
}

/** Returns the exposure by coin, largest first. Positions of unknown size are excluded. */
export const exposureByCoin = (positions: ReadonlyArray<Valued>): ReadonlyArray<CoinExposure> => {
  const coins = new Map<string, CoinExposure>()
  for (const { position: { coin, side }, valueUsd } of positions) {
    if (valueUsd === null) continue
    const { gross, net } = coins.get(coin) ?? { gross: 0, net: 0 }
    coins.set(coin, { coin, gross: gross + valueUsd, net: net + (side === "long" ? valueUsd : -valueUsd) })
  }
  return [...coins.values()].sort((a, b) => b.gross - a.gross || (a.coin < b.coin ? -1 : 1))
}

/** Returns the loss from entry to stop, in USD; 0 if the stop is on the winning side. Null if it is unknown. */
const riskAtStop = ({ position: { entry: at, side, sizeUsd, stop: ends } }: Valued): number | null => {
  const [size, entry, stop] = [numberOrNull(sizeUsd), numberOrNull(at), numberOrNull(ends)]
  if (size === null || entry === null || stop === null) return null
  return Math.max(0, (size / entry) * (side === "long" ? entry - stop : stop - entry))
}

/** Returns the total loss if all stops fill at their prices; null if it is unknown for any position. */
export const openRisk = (positions: ReadonlyArray<Valued>): number | null => {
  let total = 0
  for (const position of positions) {
    const risk = riskAtStop(position)
    if (risk === null) return null
    total += risk
  }
  return total
}

/** Returns the position whose mark price is nearest to its liquidation price. */
export const nearestLiquidation = (positions: ReadonlyArray<Valued>) => {
  let nearest: { readonly valued: Valued; readonly price: number; readonly distancePct: number } | null = null
  for (const valued of positions) {
    const { liquidation: price, liquidationDistancePct: distancePct } = valued
    if (price === null || distancePct === null) continue
    if (nearest === null || distancePct < nearest.distancePct) nearest = { valued, price, distancePct }
  }
  return nearest
}
