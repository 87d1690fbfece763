import { type Chart, compact, grouped } from "@tapeline/core/charts"
import { textWidth } from "./fonts.ts"
import { apart, type Layout } from "./layout.ts"
import type { Palette } from "./palette.ts"
import { circle, line, type Piece, rect, text } from "./pieces.ts"
import type { TimeMark } from "./timeMarks.ts"

/** A price label at the right edge. */
export interface Tag {
  readonly price: number
  readonly y: number
  readonly color: string
  readonly filled: boolean
}

const tagHeight = 17

const isSeen = ({ price }: Layout) => (value: number): boolean => value >= price.min && value <= price.max

/** The tags of a chart: the newest price filled and at its exact height, levels outlined. Tags do not overlap. */
export const tagsOf = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<Tag> => {
  const { main, priceY } = layout
  const newest = chart.close.at(-1)!
  const at = priceY(newest)
  const levels = chart.levels.filter(({ price }) => isSeen(layout)(price))
  const beside = (side: typeof levels, room: readonly [number, number]): ReadonlyArray<Tag> => {
    const heights = apart(side.map(({ price }) => priceY(price)), tagHeight + 1, room)
    return side.map(({ kind, price }, i) => ({ price, y: heights[i]!, color: palette[kind], filled: false }))
  }
  const color = newest < chart.open.at(-1)! ? palette.down : palette.up
  return [
    ...beside(levels.filter(({ price }) => price > newest), [main.top - 30, at - tagHeight - 1]),
    ...beside(levels.filter(({ price }) => price <= newest), [at + tagHeight + 1, main.top + main.height]),
    { price: newest, y: at, color, filled: true }
  ]
}

const tagPieces = (tags: ReadonlyArray<Tag>, layout: Layout, palette: Palette): ReadonlyArray<Piece> => {
  const { decimals, main, priceY } = layout
  const x = main.left + main.width
  return tags.flatMap(({ color, filled, price, y }) => {
    const said = grouped(price, decimals)
    const width = textWidth(said, 12) + 10
    const z = filled ? 31 : 28
    return [
      line({ x1: x, y1: priceY(price), x2: x + 5, y2: y, color, z }),
      rect({
        x: x + 5,
        y: y - tagHeight / 2,
        width,
        height: tagHeight,
        color: filled ? color : palette.background,
        ...filled ? {} : { stroke: color },
        radius: 3,
        z
      }),
      { ...text({ x: x + 10, y: y + 0.5, text: said, color: filled ? palette.onTag : color }), z: z + 1 }
    ]
  })
}

const levelPieces = (chart: Chart, layout: Layout, palette: Palette): ReadonlyArray<Piece> => {
  const { main, priceY } = layout
  const right = main.left + main.width
  const seen = chart.levels.filter(({ price }) => isSeen(layout)(price))
  const wanted = seen.map(({ price }) => priceY(price))
  const heights = apart(wanted, 14, [main.top + 6, main.top + main.height - 6])
  return seen.flatMap(({ kind, price, touches }, i) => {
    const color = palette[kind]
    const said = `${kind === "support" ? "S" : "R"} ×${touches}`
    const [x, y] = [main.left + 2, heights[i]!]
    return [
      line({ x1: main.left, x2: right, y1: priceY(price), y2: priceY(price), color, dash: [6, 5], width: 1, z: 1 }),
      rect({
        x,
        y: y - 6.5,
        width: textWidth(said, 11) + 8,
        height: 13,
        color: palette.background,
        radius: 3,
        z: 6
      }),
      { ...text({ x: x + 4, y, text: said, color, size: 11 }), z: 7 }
    ]
  })
}

/** The radius of the largest and of the smallest liquidation. */
const [largest, smallest] = [15, 3]

const liquidationPieces = ({ liquidations }: Chart, layout: Layout, palette: Palette): ReadonlyArray<Piece> => {
  const top = Math.max(...liquidations.map(({ sizeUsd }) => sizeUsd), 1)
  const radiusOf = (sizeUsd: number): number => Math.max(smallest, largest * Math.sqrt(sizeUsd / top))
  const seen = liquidations.filter(({ price }) => isSeen(layout)(price))
  // Small circles are drawn over large ones.
  const circles = seen.toSorted((a, b) => b.sizeUsd - a.sizeUsd).map(({ bar, price, side, sizeUsd }) =>
    circle({
      x: layout.barX(bar),
      y: layout.priceY(price),
      radius: radiusOf(sizeUsd),
      color: `${palette[side]}55`,
      stroke: palette[side]
    })
  )
  const [first] = seen.toSorted((a, b) => b.sizeUsd - a.sizeUsd)
  if (first === undefined) return circles
  const [x, said] = [layout.barX(first.bar), `${compact(first.sizeUsd)} USD`]
  const before = x > layout.main.left + layout.main.width - textWidth(said, 11) - 26
  const [width, y] = [textWidth(said, 11), layout.priceY(first.price)]
  const left = before ? x - largest - 5 - width : x + largest + 5
  return [
    ...circles,
    rect({ x: left - 4, y: y - 8, width: width + 8, height: 16, color: palette.background, radius: 3, z: 13 }),
    { ...text({ x: left, y, text: said, color: palette[first.side], size: 11 }), z: 14 }
  ]
}

/** The pieces over the candles, except for the series. */
export const mainPieces = (
  chart: Chart,
  layout: Layout,
  palette: Palette,
  tags: ReadonlyArray<Tag>
): ReadonlyArray<Piece> => {
  const newest = chart.close.at(-1)!
  const color = newest < chart.open.at(-1)! ? palette.down : palette.up
  const { main, priceY } = layout
  return [
    ...levelPieces(chart, layout, palette),
    line({
      x1: main.left,
      x2: main.left + main.width,
      y1: priceY(newest),
      y2: priceY(newest),
      color,
      dash: [2, 3],
      z: 3
    }),
    ...liquidationPieces(chart, layout, palette),
    ...tagPieces(tags, layout, palette)
  ]
}

/** The time labels at the bottom, and the note that they are UTC. */
export const timePieces = (
  { height }: Chart,
  { barX, main }: Layout,
  marks: ReadonlyArray<TimeMark>,
  palette: Palette
): ReadonlyArray<Piece> => {
  const y = height - 14
  const right = main.left + main.width
  return [
    ...marks.flatMap(({ bar, strong, text: said }) => {
      const half = textWidth(said, 12) / 2
      const x = barX(bar)
      return x - half < 2 || x + half > right
        ? []
        : [text({ x, y, text: said, color: strong ? palette.text : palette.muted, align: "center" })]
    }),
    text({ x: right + 10, y, text: "UTC", color: palette.muted, size: 11 })
  ]
}
