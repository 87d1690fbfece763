import { normalDraw, type Random } from "@tapeline/quant"

export interface Bars {
  readonly open: Array<number>
  readonly high: Array<number>
  readonly low: Array<number>
  readonly close: Array<number>
  readonly volume: Array<number>
}

export const eachColumn = <A>({ close, high, low, open, volume }: Bars, f: (column: Array<number>) => A) => ({
  open: f(open),
  high: f(high),
  low: f(low),
  close: f(close),
  volume: f(volume)
})

/**
 * Creates random bars: a geometric random walk from a random price level, with gaps between bars, and with bars without
 * any movement.
 */
export function randomBars(random: Random, length: number): Bars {
  const bars: Bars = { open: [], high: [], low: [], close: [], volume: [] }
  let price = 10 ** (random() * 6 - 1)
  const sigma = 10 ** (random() * 1.5 - 3)
  for (let i = 0; i < length; i++) {
    const isQuiet = random() < 0.05
    const open = price * Math.exp(isQuiet ? 0 : normalDraw(random) * sigma * 0.3)
    const close = isQuiet ? open : open * Math.exp(normalDraw(random) * sigma)
    const reach = isQuiet ? 0 : Math.abs(normalDraw(random)) * sigma
    const dipSize = isQuiet ? 0 : Math.abs(normalDraw(random)) * sigma
    bars.open.push(open)
    bars.close.push(close)
    bars.high.push(Math.max(open, close) * Math.exp(reach))
    bars.low.push(Math.min(open, close) * Math.exp(-dipSize))
    bars.volume.push(isQuiet ? 0 : random() * 1000)
    price = close
  }
  return bars
}
