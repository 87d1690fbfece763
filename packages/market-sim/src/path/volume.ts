/** Volume within bars: the division of a bar's traded units, bought units and value among its parts. */
import { apportion, apportionWithin, balance } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/factors.ts"
import type { BarModel, Draft, Path, Trade } from "./model.ts"
import { divideBought, settlingShare } from "./takers.ts"

/** The exponent of variance in volume, near the square root that the mixture-of-distributions literature finds. */
const volumeElasticity = 0.62

const slot = { volume: 0, taker: 1 }
const slotsPerPart = 2

/** The mean log price of a path, weighted by variance: the middles of its parts, by their shares. */
export const middle = (path: Path): number => {
  if (path.points.length === 0) return (path.open + path.close) / 2
  let sum = 0
  let from = path.open
  let lowest = from
  let highest = from
  for (let i = 0; i < path.points.length; i++) {
    const to = path.points[i]!
    sum += path.shares[i]! * (from + to) / 2
    if (to < lowest) lowest = to
    if (to > highest) highest = to
    from = to
  }
  // Rounding must not move the result out of the path's range.
  return Math.min(highest, Math.max(lowest, sum))
}

/** The range of prices in a part, and its typical price. */
interface PartPrices {
  readonly high: number
  readonly low: number
  readonly typical: number
}

/** The maximum tilt of a share, in log points. */
const mostTilt = 0.7

/**
 * Moves shares of volume, in place, towards parts with higher or lower prices, until the mean of their typical prices
 * is close to `price`.
 */
const tilt = (price: number, shares: Array<number>, prices: ReadonlyArray<PartPrices>): void => {
  for (let round = 0; round < 2; round++) {
    let mean = 0
    for (let i = 0; i < shares.length; i++) mean += shares[i]! * prices[i]!.typical
    let variance = 0
    for (let i = 0; i < shares.length; i++) variance += shares[i]! * (prices[i]!.typical - mean) ** 2
    if (!(variance > 0)) return
    const slope = (price - mean) / variance
    let sum = 0
    for (let i = 0; i < shares.length; i++) {
      shares[i]! *= Math.exp(Math.max(-mostTilt, Math.min(mostTilt, slope * (prices[i]!.typical - mean))))
      sum += shares[i]!
    }
    for (let i = 0; i < shares.length; i++) shares[i]! /= sum
  }
}

/** If these shares cannot reach `price`, moves volume in place to the part with the most extreme price. */
const extend = (price: number, shares: Array<number>, prices: ReadonlyArray<PartPrices>): void => {
  for (const side of ["high", "low"] as const) {
    const sign = side === "high" ? 1 : -1
    let reach = 0
    for (let i = 0; i < shares.length; i++) reach += shares[i]! * prices[i]![side]
    if (sign * (price - reach) <= 0) continue
    let best = 0
    for (let i = 1; i < prices.length; i++) if (sign * (prices[i]![side] - prices[best]![side]) > 0) best = i
    const gap = prices[best]![side] - reach
    // If all parts reach equally far, rounding decides the sign, and moving volume has no effect.
    if (!(sign * gap > 0)) continue
    const moved = Math.min(1, (price - reach) / gap)
    for (let i = 0; i < shares.length; i++) shares[i] = shares[i]! * (1 - moved) + (i === best ? moved : 0)
  }
}

/**
 * Raises the last of the shares by `share` of the whole and reduces all shares in proportion. The shares add up to 1.
 */
const raiseLast = (shares: Array<number>, share: number): void => {
  for (let i = 0; i < shares.length; i++) shares[i]! *= 1 - share
  shares[shares.length - 1]! += share
}

/** Divides volume, bought volume and value among the parts, so that each adds up and each part is possible. */
export const divideTrade = (
  bar: Trade,
  parts: ReadonlyArray<Draft>,
  model: BarModel,
  draws: Draws,
  firstSlot: number
): void => {
  let variance = 0
  for (let i = 0; i < parts.length; i++) variance += parts[i]!.variance
  const prices: ReadonlyArray<PartPrices> = parts.map((part) => ({
    high: model.price(part.high),
    low: model.price(part.low),
    typical: model.price(middle(part))
  }))
  const interest = parts.map((part, i) => {
    const move = part.variance > 0 ? (part.high - part.low) / Math.sqrt(part.variance) : 0
    return model.activity(part.start, part.seconds) ** (1 - volumeElasticity)
      * (variance > 0 ? (part.variance / variance) ** volumeElasticity : 1)
      * Math.exp(0.15 * Math.min(4, move) + 0.28 * draws.normal(firstSlot + slotsPerPart * i + slot.volume))
  })
  let total = 0
  for (const amount of interest) total += amount
  const settling = settlingShare(bar, parts[0]!.seconds)
  const volumeShares = interest.map((amount) => total > 0 ? amount / total : 1 / parts.length)
  if (settling > 0) raiseLast(volumeShares, settling)

  const price = bar.volume > 0 ? bar.value / (bar.volume * model.valueScale) : 0
  if (bar.volume > 0) {
    tilt(price, volumeShares, prices)
    extend(price, volumeShares, prices)
  }
  const volumes = apportion(bar.volume, volumeShares)

  parts.forEach((part, i) => {
    part.volume = volumes[i]!
  })
  divideBought(bar, parts, draws, firstSlot + slot.taker, slotsPerPart)

  const scale = model.valueScale
  const wanted = balance(
    bar.value,
    volumes.map((volume, i) => volume * scale * prices[i]!.typical),
    volumes.map((volume, i) => volume * scale * prices[i]!.low),
    volumes.map((volume, i) => volume * scale * prices[i]!.high)
  )
  const values = apportionWithin(bar.value, wanted, volumes.map((volume) => volume > 0 ? bar.value : 0))

  parts.forEach((part, i) => {
    part.value = values[i]!
  })
}
