import { type Chart, grouped, priceDecimals } from "@tapeline/core/charts"
import { textWidth } from "./fonts.ts"
import { extent, type Scale, scaleOf, stepDecimals } from "./scale.ts"

/** A box of the picture that contains series. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The positions of all parts of a chart. */
export interface Layout {
  readonly main: Box
  readonly panels: ReadonlyArray<Box>
  readonly price: Scale
  readonly decimals: number
  readonly markDecimals: number
  /** `barX` is the centre of a bar. `barWidth` is its share of the width. Both are in pixels. */
  readonly barX: (bar: number) => number
  readonly barWidth: number
  readonly priceY: (price: number) => number
}

const edge = 16
const head = 74
const foot = 30
const panelHead = 24

/** Maximum share of the candles' own range that overlays can add above and below. */
const overlayShare = 0.14

/** The price range of the axis: all candles, and the overlays near them. */
const priceRange = ({ bands, close, high, levels, lines, liquidations, low }: Chart): readonly [number, number] => {
  const [bottom, top] = extent(low, high) ?? [close[0]!, close[0]!]
  const room = (top - bottom) * overlayShare
  const near = (values: Iterable<number>, share = 1): ReadonlyArray<number> =>
    [...values].filter((value) => value >= bottom - room * share && value <= top + room * share)
  return extent(
    [bottom, top],
    ...lines.map(({ values }) => near(values)),
    ...bands === null ? [] : [near(bands.upper), near(bands.lower)],
    near(levels.map(({ price }) => price), 0.5),
    near(liquidations.map(({ price }) => price))
  )!
}

export const layoutOf = (chart: Chart): Layout => {
  const bars = chart.time.length
  const panelHeight = 120
  const bottom = chart.height - foot
  const panelsTop = bottom - panelHeight * chart.panels.length
  const price = scaleOf(priceRange(chart), Math.max(4, Math.round((panelsTop - head) / 62)))
  const decimals = priceDecimals(chart.close.at(-1)!, chart.currency)
  const markDecimals = Math.max(stepDecimals(price.step), chart.currency === "KRW" ? 0 : Math.min(2, decimals))
  const widest = Math.max(...[price.min, price.max].map((value) => textWidth(grouped(value, decimals), 12)), 44)
  const width = chart.width - edge - Math.ceil(widest) - 26
  const box = (top: number, height: number): Box => ({ left: edge, top, width, height })
  const main = box(head, panelsTop - head - (chart.panels.length > 0 ? 8 : 0))
  const barWidth = width / Math.max(bars, 20)
  // If there are few bars, they are at the right, where readers look for the newest.
  const first = edge + width - barWidth * bars
  return {
    main,
    panels: chart.panels.map((_, i) => box(panelsTop + i * panelHeight + panelHead, panelHeight - panelHead - 4)),
    price,
    decimals,
    markDecimals,
    barX: (bar) => first + barWidth * (bar + 0.5),
    barWidth,
    priceY: (value) => main.top + main.height * (price.max - value) / (price.max - price.min)
  }
}

/** Places labels at the wanted heights, or as near as possible without overlaps. */
export const apart = (
  wanted: ReadonlyArray<number>,
  size: number,
  [top, bottom]: readonly [number, number]
): ReadonlyArray<number> => {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y)
  for (const one of order) one.y = Math.min(bottom, Math.max(top, one.y))
  for (let k = 1; k < order.length; k++) order[k]!.y = Math.max(order[k]!.y, order[k - 1]!.y + size)
  let limit = bottom
  for (const one of order.toReversed()) {
    one.y = Math.min(one.y, limit)
    limit = one.y - size
  }
  const placed = [...wanted]
  for (const { i, y } of order) placed[i] = y
  return placed
}
