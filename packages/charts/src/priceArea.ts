import { type Chart, formatCompact, formatGrouped } from "@tapeline/core/charts"
import type { TimeTick } from "./axes.ts"
import { type ChartElement, circle, line, rect, text } from "./elements.ts"
import { measureTextWidth } from "./fonts.ts"
import { type Layout, spreadApart } from "./layout.ts"
import type { Palette } from "./palette.ts"

export interface PriceTag {
  readonly price: number
  readonly y: number
  readonly color: string
  readonly isFilled: boolean
}

const tagHeight = 17

const makeVisibilityTest = ({ price }: Layout) => (value: number): boolean => value >= price.min && value <= price.max

/**
 * Returns the price tags of a chart, moved apart so that they do not overlap. The newest price stays at its exact
 * height, and the other tags move.
 */
export const makePriceTags = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<PriceTag> => {
  const { main, priceY } = layout
  const newest = chart.close.at(-1)!
  const newestY = priceY(newest)
  const levels = chart.levels.filter(({ price }) => makeVisibilityTest(layout)(price))
  const placeTags = (levelsOnSide: typeof levels, range: readonly [number, number]): ReadonlyArray<PriceTag> => {
    const heights = spreadApart(levelsOnSide.map(({ price }) => priceY(price)), tagHeight + 1, range)
    return levelsOnSide.map(({ kind, price }, i) => ({ price, y: heights[i]!, color: palette[kind], isFilled: false }))
  }
  const color = newest < chart.open.at(-1)! ? palette.down : palette.up
  return [
    ...placeTags(levels.filter(({ price }) => price > newest), [main.top - 30, newestY - tagHeight - 1]),
    ...placeTags(levels.filter(({ price }) => price <= newest), [newestY + tagHeight + 1, main.top + main.height]),
    { price: newest, y: newestY, color, isFilled: true }
  ]
}

const drawPriceTags = (
  tags: ReadonlyArray<PriceTag>,
  layout: Layout,
  palette: Palette
): ReadonlyArray<ChartElement> => {
  const { decimals, main, priceY } = layout
  const x = main.left + main.width
  return tags.flatMap(({ color, isFilled, price, y }) => {
    const label = formatGrouped(price, decimals)
    const width = measureTextWidth(label, 12) + 10
    const z = isFilled ? 31 : 28
    return [
      line({ x1: x, y1: priceY(price), x2: x + 5, y2: y, color, z }),
      rect({
        x: x + 5,
        y: y - tagHeight / 2,
        width,
        height: tagHeight,
        color: isFilled ? color : palette.background,
        ...isFilled ? {} : { stroke: color },
        radius: 3,
        z
      }),
      { ...text({ x: x + 10, y: y + 0.5, text: label, color: isFilled ? palette.tagText : color }), z: z + 1 }
    ]
  })
}

const drawLevels = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<ChartElement> => {
  const { main, priceY } = layout
  const right = main.left + main.width
  const visibleLevels = chart.levels.filter(({ price }) => makeVisibilityTest(layout)(price))
  const wanted = visibleLevels.map(({ price }) => priceY(price))
  const heights = spreadApart(wanted, 14, [main.top + 6, main.top + main.height - 6])
  return visibleLevels.flatMap(({ kind, price, touches }, i) => {
    const color = palette[kind]
    const label = `${kind === "support" ? "S" : "R"} ×${touches}`
    const [x, y] = [main.left + 2, heights[i]!]
    return [
      line({ x1: main.left, x2: right, y1: priceY(price), y2: priceY(price), color, dash: [6, 5], width: 1, z: 1 }),
      rect({
        x,
        y: y - 6.5,
        width: measureTextWidth(label, 11) + 8,
        height: 13,
        color: palette.background,
        radius: 3,
        z: 6
      }),
      { ...text({ x: x + 4, y, text: label, color, size: 11 }), z: 7 }
    ]
  })
}

/** The circle radius in pixels of the largest and of the smallest liquidation. */
const [maxRadius, minRadius] = [15, 3]

const drawLiquidations = ({ liquidations }: Chart, layout: Layout, palette: Palette): ReadonlyArray<ChartElement> => {
  const largestUsd = Math.max(...liquidations.map(({ sizeUsd }) => sizeUsd), 1)
  const getRadius = (sizeUsd: number): number => Math.max(minRadius, maxRadius * Math.sqrt(sizeUsd / largestUsd))
  const visible = liquidations.filter(({ price }) => makeVisibilityTest(layout)(price))
  const circles = visible.toSorted((a, b) => b.sizeUsd - a.sizeUsd).map(({ bar, price, side, sizeUsd }) =>
    circle({
      x: layout.barX(bar),
      y: layout.priceY(price),
      radius: getRadius(sizeUsd),
      color: `${palette[side]}55`,
      stroke: palette[side]
    })
  )
  const [biggest] = visible.toSorted((a, b) => b.sizeUsd - a.sizeUsd)
  if (biggest === undefined) return circles
  const [x, label] = [layout.barX(biggest.bar), `${formatCompact(biggest.sizeUsd)} USD`]
  const isLabelLeft = x > layout.main.left + layout.main.width - measureTextWidth(label, 11) - 26
  const [width, y] = [measureTextWidth(label, 11), layout.priceY(biggest.price)]
  const left = isLabelLeft ? x - maxRadius - 5 - width : x + maxRadius + 5
  return [
    ...circles,
    rect({ x: left - 4, y: y - 8, width: width + 8, height: 16, color: palette.background, radius: 3, z: 13 }),
    { ...text({ x: left, y, text: label, color: palette[biggest.side], size: 11 }), z: 14 }
  ]
}

export const drawPriceArea = (
  chart: Chart,
  layout: Layout,
  palette: Palette,
  tags: ReadonlyArray<PriceTag>
): ReadonlyArray<ChartElement> => {
  const newest = chart.close.at(-1)!
  const color = newest < chart.open.at(-1)! ? palette.down : palette.up
  const { main, priceY } = layout
  return [
    ...drawLevels(chart, layout, palette),
    line({
      x1: main.left,
      x2: main.left + main.width,
      y1: priceY(newest),
      y2: priceY(newest),
      color,
      dash: [2, 3],
      z: 3
    }),
    ...drawLiquidations(chart, layout, palette),
    ...drawPriceTags(tags, layout, palette)
  ]
}

export const drawTimeAxis = (
  { height }: Chart,
  { barX, main }: Layout,
  marks: ReadonlyArray<TimeTick>,
  palette: Palette
): ReadonlyArray<ChartElement> => {
  const y = height - 14
  const right = main.left + main.width
  return [
    ...marks.flatMap(({ bar, isMajor, text: label }) => {
      const half = measureTextWidth(label, 12) / 2
      const x = barX(bar)
      return x - half < 2 || x + half > right
        ? []
        : [text({ x, y, text: label, color: isMajor ? palette.text : palette.muted, align: "center" })]
    }),
    text({ x: right + 10, y, text: "UTC", color: palette.muted, size: 11 })
  ]
}
