/** Divides the volume of a bar, the volume that takers bought, and the traded value among the bar's parts. */
import { apportion, apportionWithCapacities, balanceWithinBounds } from "../kernel/apportion.ts"
import type { Draws } from "../kernel/Drivers.ts"
import type { BarModel, BarPath, BarTrade, MutableBar } from "./model.ts"
import { divideTakerBuyVolume, getSettlingShare } from "./takers.ts"

/**
 * Volume is proportional to variance raised to this power. The literature on mixtures of distributions reports an
 * exponent of about 0.5.
 */
const volumeElasticity = 0.62

const slot = { volume: 0, taker: 1 }
const slotsPerPart = 2

/** Returns the mean log price of a path, weighted by the variance of its parts. */
export const getMeanLogPrice = (path: BarPath): number => {
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
  // Rounding must not move the mean out of the path's range.
  return Math.min(highest, Math.max(lowest, sum))
}

interface PartPriceRange {
  readonly high: number
  readonly low: number
  readonly typical: number
}

/** The maximum change of the logarithm of a part's volume share in one iteration. */
const maxTilt = 0.7

/** Changes the volume shares of the parts until the mean price is close to `price`. */
const tiltShares = (price: number, shares: Array<number>, prices: ReadonlyArray<PartPriceRange>): void => {
  for (let iteration = 0; iteration < 2; iteration++) {
    let mean = 0
    for (let i = 0; i < shares.length; i++) mean += shares[i]! * prices[i]!.typical
    let variance = 0
    for (let i = 0; i < shares.length; i++) variance += shares[i]! * (prices[i]!.typical - mean) ** 2
    if (!(variance > 0)) return
    const slope = (price - mean) / variance
    let sum = 0
    for (let i = 0; i < shares.length; i++) {
      shares[i]! *= Math.exp(Math.max(-maxTilt, Math.min(maxTilt, slope * (prices[i]!.typical - mean))))
      sum += shares[i]!
    }
    for (let i = 0; i < shares.length; i++) shares[i]! /= sum
  }
}

/**
 * Moves volume to the part with the highest or the lowest price, if the current volume shares cannot give the mean
 * price `price`.
 */
const moveToExtreme = (price: number, shares: Array<number>, prices: ReadonlyArray<PartPriceRange>): void => {
  for (const side of ["high", "low"] as const) {
    const sign = side === "high" ? 1 : -1
    let reachedPrice = 0
    for (let i = 0; i < shares.length; i++) reachedPrice += shares[i]! * prices[i]![side]
    if (sign * (price - reachedPrice) <= 0) continue
    let bestPart = 0
    for (let i = 1; i < prices.length; i++) if (sign * (prices[i]![side] - prices[bestPart]![side]) > 0) bestPart = i
    const gap = prices[bestPart]![side] - reachedPrice
    // If all parts have an equal extreme, rounding decides the sign of the gap, and moving volume has no effect.
    if (!(sign * gap > 0)) continue
    const movedShare = Math.min(1, (price - reachedPrice) / gap)
    for (let i = 0; i < shares.length; i++) {
      shares[i] = shares[i]! * (1 - movedShare) + (i === bestPart ? movedShare : 0)
    }
  }
}

/**
 * Reduces every share by the fraction `share`, and adds the total reduction to the last share. The sum of the shares
 * does not change.
 */
const raiseLastShare = (shares: Array<number>, share: number): void => {
  for (let i = 0; i < shares.length; i++) shares[i]! *= 1 - share
  shares[shares.length - 1]! += share
}

/** Sets the volume, the volume that takers bought, and the traded value of each part of a bar. */
export const divideBarTrade = (
  bar: BarTrade,
  parts: ReadonlyArray<MutableBar>,
  model: BarModel,
  draws: Draws,
  firstSlot: number
): void => {
  let variance = 0
  for (let i = 0; i < parts.length; i++) variance += parts[i]!.variance
  const prices: ReadonlyArray<PartPriceRange> = parts.map((part) => ({
    high: model.getPrice(part.high),
    low: model.getPrice(part.low),
    typical: model.getPrice(getMeanLogPrice(part))
  }))
  const tradingWeights = parts.map((part, i) => {
    const relativeRange = part.variance > 0 ? (part.high - part.low) / Math.sqrt(part.variance) : 0
    return model.getActivity(part.start, part.seconds) ** (1 - volumeElasticity)
      * (variance > 0 ? (part.variance / variance) ** volumeElasticity : 1)
      * Math.exp(0.15 * Math.min(4, relativeRange) + 0.28 * draws.normal(firstSlot + slotsPerPart * i + slot.volume))
  })
  let total = 0
  for (const amount of tradingWeights) total += amount
  const settlingShareOfLast = getSettlingShare(bar, parts[0]!.seconds)
  const volumeShares = tradingWeights.map((amount) => total > 0 ? amount / total : 1 / parts.length)
  if (settlingShareOfLast > 0) raiseLastShare(volumeShares, settlingShareOfLast)

  const price = bar.volume > 0 ? bar.value / (bar.volume * model.valueScale) : 0
  if (bar.volume > 0) {
    tiltShares(price, volumeShares, prices)
    moveToExtreme(price, volumeShares, prices)
  }
  const volumes = apportion(bar.volume, volumeShares)

  parts.forEach((part, i) => {
    part.volume = volumes[i]!
  })
  divideTakerBuyVolume(bar, parts, draws, firstSlot + slot.taker, slotsPerPart)

  const scale = model.valueScale
  const wantedValues = balanceWithinBounds(
    bar.value,
    volumes.map((volume, i) => volume * scale * prices[i]!.typical),
    volumes.map((volume, i) => volume * scale * prices[i]!.low),
    volumes.map((volume, i) => volume * scale * prices[i]!.high)
  )
  const values = apportionWithCapacities(bar.value, wantedValues, volumes.map((volume) => volume > 0 ? bar.value : 0))

  parts.forEach((part, i) => {
    part.value = values[i]!
  })
}
