import { type Chart, formatGrouped, getPriceDecimals } from "@tapeline/core/charts"
import { extent, getStepDecimals, makeScale, type Scale } from "./axes.ts"
import { measureTextWidth } from "./fonts.ts"

/** A rectangle of the chart that contains series, in pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Layout {
  readonly main: Box
  readonly panels: ReadonlyArray<Box>
  readonly price: Scale
  readonly decimals: number
  readonly tickDecimals: number
  readonly barX: (bar: number) => number
  readonly barWidth: number
  readonly priceY: (price: number) => number
}

const edgeMargin = 16
const headerHeight = 74
const footerHeight = 30
const panelHeaderHeight = 24

/** Overlays can extend the price axis on each side by at most this share of the candles' price range. */
const overlayShare = 0.14

const getPriceRange = ({ bands, close, high, levels, lines, liquidations, low }: Chart): readonly [number, number] => {
  const [bottom, top] = extent(low, high) ?? [close[0]!, close[0]!]
  const margin = (top - bottom) * overlayShare
  const keepNear = (values: Iterable<number>, share = 1): ReadonlyArray<number> =>
    [...values].filter((value) => value >= bottom - margin * share && value <= top + margin * share)
  return extent(
    [bottom, top],
    ...lines.map(({ values }) => keepNear(values)),
    ...bands === null ? [] : [keepNear(bands.upper), keepNear(bands.lower)],
    keepNear(levels.map(({ price }) => price), 0.5),
    keepNear(liquidations.map(({ price }) => price))
  )!
}

export const makeLayout = (chart: Chart): Layout => {
  const bars = chart.time.length
  const panelHeight = 120
  const bottom = chart.height - footerHeight
  const panelsTop = bottom - panelHeight * chart.panels.length
  const price = makeScale(getPriceRange(chart), Math.max(4, Math.round((panelsTop - headerHeight) / 62)))
  const decimals = getPriceDecimals(chart.close.at(-1)!, chart.currency)
  const tickDecimals = Math.max(getStepDecimals(price.step), chart.currency === "KRW" ? 0 : Math.min(2, decimals))
  const maxLabelWidth = Math.max(
    ...[price.min, price.max].map((value) => measureTextWidth(formatGrouped(value, decimals), 12)),
    44
  )
  const width = chart.width - edgeMargin - Math.ceil(maxLabelWidth) - 26
  const box = (top: number, height: number): Box => ({ left: edgeMargin, top, width, height })
  const main = box(headerHeight, panelsTop - headerHeight - (chart.panels.length > 0 ? 8 : 0))
  const barWidth = width / Math.max(bars, 20)
  // A chart with few bars shows the bars at the right edge, where readers look for the newest bar.
  const first = edgeMargin + width - barWidth * bars
  return {
    main,
    panels: chart.panels.map((_, i) =>
      box(panelsTop + i * panelHeight + panelHeaderHeight, panelHeight - panelHeaderHeight - 4)
    ),
    price,
    decimals,
    tickDecimals,
    barX: (bar) => first + barWidth * (bar + 0.5),
    barWidth,
    priceY: (value) => main.top + main.height * (price.max - value) / (price.max - price.min)
  }
}

/** Places labels at the wanted heights, or as near as possible without overlaps. */
export const spreadApart = (
  wantedHeights: ReadonlyArray<number>,
  size: number,
  [top, bottom]: readonly [number, number]
): ReadonlyArray<number> => {
  const order = wantedHeights.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y)
  for (const label of order) label.y = Math.min(bottom, Math.max(top, label.y))
  for (let k = 1; k < order.length; k++) order[k]!.y = Math.max(order[k]!.y, order[k - 1]!.y + size)
  let limit = bottom
  for (const label of order.toReversed()) {
    label.y = Math.min(label.y, limit)
    limit = label.y - size
  }
  const placed = [...wantedHeights]
  for (const { i, y } of order) placed[i] = y
  return placed
}
