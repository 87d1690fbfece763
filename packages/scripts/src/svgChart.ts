/** A point of a chart, in the units of the axes. */
export type Point = readonly [x: number, y: number]

const ink = "#334155"
const palette = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2"]

export const seriesColour = (index: number): string => palette[index % palette.length]!

const formatCoordinate = (value: number): string => String(Math.round(value * 10) / 10)
const escapeXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const chooseTicks = (low: number, high: number, count: number): ReadonlyArray<number> => {
  const rawStep = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rawStep))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rawStep)!
  const values: Array<number> = []
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) values.push(value)
  return values
}

export interface Axes {
  readonly title: string
  readonly x: readonly [low: number, high: number]
  readonly y: readonly [low: number, high: number]
  readonly formatX: (value: number) => string
  readonly formatY: (value: number) => string
  /** The values with a label on the x axis. By default, the chart chooses round values. */
  readonly ticksX?: ReadonlyArray<number>
}

const width = 760
const height = 300
const margin = { left: 70, right: 16, top: 48, bottom: 30 }

export interface CoordinateSystem {
  readonly x: (value: number) => number
  readonly y: (value: number) => number
}

/** Returns an SVG chart with axes, a grid, and the SVG elements that `draw` returns. */
export const renderChart = (axes: Axes, draw: (coordinates: CoordinateSystem) => ReadonlyArray<string>): string => {
  const [x0, x1] = axes.x
  const [y0, y1] = axes.y
  const coordinates: CoordinateSystem = {
    x: (value) => margin.left + ((value - x0) / (x1 - x0)) * (width - margin.left - margin.right),
    y: (value) => height - margin.bottom - ((value - y0) / (y1 - y0)) * (height - margin.top - margin.bottom)
  }
  const grid = chooseTicks(y0, y1, 5).map((value) => {
    const y = formatCoordinate(coordinates.y(value))
    return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y}" y2="${y}" stroke="#e2e8f0"/>` +
      `<text x="${margin.left - 6}" y="${y}" text-anchor="end" dominant-baseline="middle">${
        escapeXml(axes.formatY(value))
      }</text>`
  })
  const xLabels = (axes.ticksX ?? chooseTicks(x0, x1, 8)).map((value) =>
    `<text x="${formatCoordinate(coordinates.x(value))}" y="${height - 10}" text-anchor="middle">${
      escapeXml(axes.formatX(value))
    }</text>`
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11" fill="${ink}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${margin.left}" y="18" font-size="13" font-weight="bold">${escapeXml(axes.title)}</text>`,
    ...grid,
    ...xLabels,
    ...draw(coordinates),
    "</svg>",
    ""
  ].join("\n")
}

/** Returns an SVG line through `points`. */
export const renderLine = (
  coordinates: CoordinateSystem,
  points: ReadonlyArray<Point>,
  stroke: string,
  thickness = 1.2
): string =>
  `<polyline fill="none" stroke="${stroke}" stroke-width="${thickness}" points="${
    points.map(([x, y]) => `${formatCoordinate(coordinates.x(x))},${formatCoordinate(coordinates.y(y))}`).join(" ")
  }"/>`

/** Returns SVG bars that begin at the value `base`. */
export const renderColumns = (
  coordinates: CoordinateSystem,
  points: ReadonlyArray<Point>,
  barWidth: number,
  fill: string,
  base = 0
): string =>
  points.map(([x, y]) => {
    const [top, bottom] = [coordinates.y(Math.max(y, base)), coordinates.y(Math.min(y, base))]
    return `<rect x="${formatCoordinate(coordinates.x(x) - barWidth / 2)}" y="${formatCoordinate(top)}" width="${
      formatCoordinate(barWidth)
    }" height="${formatCoordinate(Math.max(0.2, bottom - top))}" fill="${fill}"/>`
  }).join("")

/** Returns a legend: the names and colours of the lines, in a row under the title of the chart. */
export const renderLegend = (names: ReadonlyArray<string>): string =>
  names.map((name, i) => {
    const x = margin.left + 90 * i
    return `<rect x="${x}" y="27" width="10" height="10" fill="${seriesColour(i)}"/><text x="${x + 14}" y="36">${
      escapeXml(name)
    }</text>`
  }).join("")
