/**
 * Volume within bars: how a bar's traded units, bought units and value are divided among its parts.
 */
import { apportion, apportionWithin, balance } from "./apportion.ts"
import type { BarModel, Path } from "./bar.ts"
import type { Draws } from "./factors.ts"

/** What was traded in a bar: whole numbers of the instrument's units. */
export interface Trade {
  readonly volume: number
  /** Units of volume that were bought by takers. */
  readonly bought: number
  /** Units of value. */
  readonly value: number
}

/** Exponent of variance in volume: near the square root that the mixture-of-distributions literature finds. */
const volumeElasticity = 0.62

const slot = { volume: 0, taker: 1 }

/** Divides volume, bought volume and value among the parts, so that each adds up and each part is possible. */
export const divideTrade = (
  bar: Trade,
  parts: ReadonlyArray<Path>,
  model: BarModel,
  draws: Draws,
  firstSlot: number
): ReadonlyArray<Trade> => {
  let variance = 0
  for (const part of parts) variance += part.variance
  const prices = parts.map((part) => ({
    high: model.price(part.high),
    low: model.price(part.low),
    typical: (model.price(part.open) + model.price(part.high) + model.price(part.low) + model.price(part.close)) / 4
  }))
  const interest = parts.map((part, i) => {
    const move = part.variance > 0 ? (part.high - part.low) / Math.sqrt(part.variance) : 0
    return model.activity(part.start, part.seconds) ** (1 - volumeElasticity)
      * (variance > 0 ? (part.variance / variance) ** volumeElasticity : 1)
      * Math.exp(0.15 * Math.min(4, move) + 0.28 * draws.normal(firstSlot + 2 * i + slot.volume))
  })
  let total = 0
  for (const amount of interest) total += amount
  let volumeShares = interest.map((amount) => total > 0 ? amount / total : 1 / parts.length)

  // The bar's value must be reachable at the parts' prices; where it is not, volume goes to the extreme part.
  const price = bar.volume > 0 ? bar.value / (bar.volume * model.valueScale) : 0
  for (const side of ["high", "low"] as const) {
    let reach = 0
    for (let i = 0; i < parts.length; i++) reach += volumeShares[i]! * prices[i]![side]
    const sign = side === "high" ? 1 : -1
    if (bar.volume > 0 && sign * (price - reach) > 0) {
      let best = 0
      prices.forEach((p, i) => {
        if (sign * (p[side] - prices[best]![side]) > 0) best = i
      })
      const gap = prices[best]![side] - reach
      const moved = gap === 0 ? 0 : Math.min(1, 1.02 * (price - reach) / gap)
      volumeShares = volumeShares.map((share, i) => share * (1 - moved) + (i === best ? moved : 0))
    }
  }
  const volumes = apportion(bar.volume, volumeShares)

  const bought = apportionWithin(
    bar.bought,
    balance(
      bar.bought,
      volumes.map((volume, i) => {
        const part = parts[i]!
        const drift = part.variance > 0 ? (part.close - part.open) / Math.sqrt(part.variance) : 0
        const share = 0.5 + 0.11 * Math.tanh(drift) + 0.03 * draws.normal(firstSlot + 2 * i + slot.taker)
        return volume * Math.min(0.95, Math.max(0.05, share))
      }),
      volumes.map(() => 0),
      volumes
    ),
    volumes
  )

  const scale = model.valueScale
  const wanted = balance(
    bar.value,
    volumes.map((volume, i) => volume * scale * prices[i]!.typical),
    volumes.map((volume, i) => volume * scale * prices[i]!.low),
    volumes.map((volume, i) => volume * scale * prices[i]!.high)
  )
  const values = apportionWithin(bar.value, wanted, volumes.map((volume) => volume > 0 ? bar.value : 0))

  return parts.map((_, i) => ({ volume: volumes[i]!, bought: bought[i]!, value: values[i]! }))
}
