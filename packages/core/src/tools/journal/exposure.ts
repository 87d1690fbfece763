import { numberOrNull } from "../../personal/journal/decimal.ts"
import type { Valued } from "./valued.ts"

/** What is held of a coin, USD at the mark. */
export interface CoinExposure {
  readonly coin: string
  readonly gross: number
  /** Longs less shorts. */
  readonly net: number
}

/** By coin, largest first. Positions of an unknown size are no part of it. */
export const exposureByCoin = (positions: ReadonlyArray<Valued>): ReadonlyArray<CoinExposure> => {
  const coins = new Map<string, CoinExposure>()
  for (const { position: { coin, side }, valueUsd } of positions) {
    if (valueUsd === null) continue
    const { gross, net } = coins.get(coin) ?? { gross: 0, net: 0 }
    coins.set(coin, { coin, gross: gross + valueUsd, net: net + (side === "long" ? valueUsd : -valueUsd) })
  }
  return [...coins.values()].sort((a, b) => b.gross - a.gross || (a.coin < b.coin ? -1 : 1))
}

/** What a position loses against its entry at its stop, USD; nothing at a stop beyond it. Null when it is not known. */
const riskAtStop = ({ position: { entry: at, side, sizeUsd, stop: ends } }: Valued): number | null => {
  const [size, entry, stop] = [numberOrNull(sizeUsd), numberOrNull(at), numberOrNull(ends)]
  if (size === null || entry === null || stop === null) return null
  return Math.max(0, (size / entry) * (side === "long" ? entry - stop : stop - entry))
}

/** What all lose together if every stop fills at its price; null when it is not known of one. */
export const openRisk = (positions: ReadonlyArray<Valued>): number | null => {
  let total = 0
  for (const position of positions) {
    const risk = riskAtStop(position)
    if (risk === null) return null
    total += risk
  }
  return total
}

/** The position whose mark is nearest to its liquidation price. */
export const nearestLiquidation = (positions: ReadonlyArray<Valued>) => {
  let nearest: { readonly valued: Valued; readonly price: number; readonly distancePct: number } | null = null
  for (const valued of positions) {
    const { liquidation: price, liquidationDistancePct: distancePct } = valued
    if (price === null || distancePct === null) continue
    if (nearest === null || distancePct < nearest.distancePct) nearest = { valued, price, distancePct }
  }
  return nearest
}
