/**
 * Bars: the nodes of the tree of time. A bar is drawn before its parts, and the parts are drawn conditional on the bar.
 *
 * Model. Within a bar the logarithm of the price is Brownian motion in trading time. Sources: Clark, 1973; Mandelbrot,
 * Fisher & Calvet, "A multifractal model of asset returns", 1997. A bar has an amount of variance, which its parts
 * divide in random shares that add up to 1. Returns are therefore uncorrelated, their sizes cluster on every scale, and
 * Brownian bridges keep their laws.
 */
import type { Draws } from "../kernel/Drivers.ts"
import type { BarEnds, BarModel, BarPath, BarTrade } from "./model.ts"
import { firstTradeSlot, planPart, planPath, unboundedCorridor } from "./pathPlan.ts"
import { setTakerBuyVolume } from "./takers.ts"
import { divideBarTrade, getMeanLogPrice } from "./volume.ts"

export interface Bar extends BarPath, BarTrade {}

/** A bar with known ends and a known trade. Nothing bounds its path. */
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

/** Draws the parts of a bar, in order. */
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
