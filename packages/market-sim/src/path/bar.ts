/**
 * Bars are time intervals with simulated prices and volumes. A bar can be divided into random shorter bars that agree
 * with its prices and volumes.
 *
 * Within a bar, the logarithm of the price is Brownian motion in trading time. Sources: Clark, 1973; Mandelbrot, Fisher
 * & Calvet, "A multifractal model of asset returns", 1997. Each part of a bar receives a random share of the bar's
 * variance, so volatility clusters on every time scale.
 */
import type { Draws } from "../kernel/Drivers.ts"
import type { BarEnds, BarModel, BarPath, BarTrade } from "./model.ts"
import { firstTradeSlot, planPart, planPath, unboundedCorridor } from "./pathPlan.ts"
import { setTakerBuyVolume } from "./takers.ts"
import { divideBarTrade, getMeanLogPrice } from "./volume.ts"

export interface Bar extends BarPath, BarTrade {}

/** Creates a bar without a parent bar from its volume and the log prices at both ends. */
export const makeRootBar = (
  ends: BarEnds,
  trade: { readonly volume: number; readonly takerNoise: number },
  model: BarModel,
  draws: Draws
): Bar => {
  const bar = planPath(ends, unboundedCorridor, model, draws)
  bar.volume = trade.volume
  setTakerBuyVolume(bar, trade.takerNoise)
  bar.value = Math.round(trade.volume * model.valueScale * model.getPrice(getMeanLogPrice(bar)))
  return bar
}

export const divideBar = (
  bar: Bar,
  lengths: ReadonlyArray<number>,
  model: BarModel,
  draws: Draws
): ReadonlyArray<Bar> => {
  let start = bar.start
  const parts = lengths.map((seconds, i) => {
    const part = planPart(bar, lengths, i, start, model)
    start += seconds
    return part
  })
  divideBarTrade(bar, parts, model, draws, firstTradeSlot)
  return parts
}
